import type { FastifyReply } from 'fastify'

/** A request that the warehouse does not carry out; its message is for whoever sent it. */
export class Refusal extends Error {
  readonly status: 400 | 404 | 409 | 422
  constructor(status: Refusal['status'], message: string) {
    super(message)
    this.name = 'Refusal'
    this.status = status
  }
}

/** Errors of the warehouse are `{message}`. */
export const refuse = (reply: FastifyReply, status: number, message: string) => reply.code(status).send({ message })
