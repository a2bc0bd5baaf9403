import type { Box } from '../../../integrations/sandbox/documents.ts'

const unmeasured: Box = { length_cm: null, width_cm: null, height_cm: null, mass_g: null }

/** A box with what was measured of it now; the rest stays as it was. */
export const boxOf = (measured: Partial<Box> = {}, before: Box = unmeasured): Box => ({ ...before, ...measured })
