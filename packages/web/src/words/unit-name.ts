/** The label of a unit with its name beside it: `wild type (rx01)`. Machines have names only, and some units have no label. */
export const unitNameText = (unit: string, label: string | null | undefined): string =>
  label === null || label === undefined || label === '' || label === unit ? unit : `${label} (${unit})`;
