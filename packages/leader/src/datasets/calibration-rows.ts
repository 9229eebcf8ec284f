/** A row of the dataset `calibrations`: unit, created_at, type, data (JSON), name, is_current, set_to_current_at. */
export type CalibrationRow = readonly [
  unit: string,
  createdAt: string | null,
  type: string,
  data: string,
  name: string,
  isCurrent: 0 | 1,
  setToCurrentAt: null,
];

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Moments of one form, so that they can be ordered as text. */
function momentText(value: unknown): string | null {
  const ms = Date.parse(textOf(value) ?? '');
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}

function rowOf(unit: string, calibration: Fields): CalibrationRow {
  const { is_active, calibration_name, calibration_type, created_at } = calibration;
  return [
    unit,
    momentText(created_at),
    textOf(calibration_type) ?? '',
    JSON.stringify(calibration),
    textOf(calibration_name) ?? '',
    is_active === true ? 1 : 0,
    null,
  ];
}

/** Rows of what a unit answers at `/unit_api/calibrations`: lists of calibrations, by device. */
export function calibrationRows(unit: string, answer: unknown): CalibrationRow[] {
  if (!isObject(answer)) return [];
  return Object.values(answer).flatMap((list) =>
    Array.isArray(list) ? list.filter(isObject).map((calibration) => rowOf(unit, calibration)) : [],
  );
}
