/** Work of this process that has to be done one after the other. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>()

  /** Waits until all work that was given before under the same name has ended, well or not. */
  async take<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(name) ?? Promise.resolve()
    const own = before.then(work, work)
    this.#last.set(name, own)
    try {
      return await own
    } finally {
      if (this.#last.get(name) === own) this.#last.delete(name)
    }
  }
}
