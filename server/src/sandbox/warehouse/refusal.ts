/** A request that the warehouse does not carry out; its message is for whoever sent it. */
export class Refusal extends Error {
  readonly status: 400 | 404 | 409 | 422
  constructor(status: Refusal['status'], message: string) {
    super(message)
    this.name = 'Refusal'
    this.status = status
  }
}
