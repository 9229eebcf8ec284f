/** As SQLite says it of rows. */
export const noLimit = -1;
