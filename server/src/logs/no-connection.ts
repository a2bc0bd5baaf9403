/** Stands for no connection, and in series for the whole organization. */
export const noConnection = '00000000-0000-0000-0000-000000000000'
