/** A value; `null` where the line is broken; `undefined` where only another line has a point. */
type PlotValue = number | null | undefined;

/** Rows of single values between two breaks of their line. */
export function isolatedRows(column: ArrayLike<PlotValue>): readonly number[] {
  const rows: number[] = [];
  let last = 0;
  let count = 0;
  const close = (): void => {
    if (count === 1) rows.push(last);
    count = 0;
  };
  for (let row = 0; row < column.length; row += 1) {
    if (column[row] === null) close();
    else if (column[row] !== undefined) {
      last = row;
      count += 1;
    }
  }
  close();
  return rows;
}
