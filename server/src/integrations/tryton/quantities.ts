/**
 * The unified API counts whole pieces, Tryton any fraction of a unit. What is ordered, moved or announced is rounded up,
 * so that no line is lost; what is in stock is rounded down, so that nothing is promised that is not there.
 */
export const toPieces = (quantity: number) => Math.sign(quantity) * Math.ceil(exact(Math.abs(quantity)))

export const toStock = (quantity: number) => Math.floor(exact(quantity))

/** Without the noise of floating-point sums; Tryton itself keeps at most 12 digits of a unit, usually two. */
const exact = (quantity: number) => Math.round(quantity * 1e6) / 1e6
