import type { Curve, OdAngle } from '@lcs/contract';
import { isObject } from '@lcs/contract/json';
import type { Cubic } from '../curves/curve.ts';
import { validateCalibrationName } from './calibration-names.ts';

/** A file of a calibration or an estimator is not valid; the message names the field. */
export class InvalidCalibrationFile extends Error {
  constructor(place: string, problem: string) {
    super(place === '' ? problem : `${place}: ${problem}`);
    this.name = 'InvalidCalibrationFile';
  }
}

const angles = ['45', '90', '135', '180'] as const;
const withZone = /(Z|[+-]\d{2}:?\d{2})$/i;

/** Reads the fields of one object of a file; every method throws InvalidCalibrationFile. */
export class FileFields {
  readonly #place: string;
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(value: unknown, place = '') {
    if (!isObject(value)) throw new InvalidCalibrationFile(place, 'It must be an object with named fields.');
    this.#place = place;
    this.#values = value;
  }

  get names(): readonly string[] {
    return Object.keys(this.#values);
  }

  has(name: string): boolean {
    return this.#values[name] !== undefined && this.#values[name] !== null;
  }

  raw(name: string): unknown {
    return this.#values[name];
  }

  text(name: string, defaultText?: string): string {
    const value = this.#values[name] ?? defaultText;
    if (typeof value !== 'string')
      throw this.invalid(name, value === undefined ? 'It is missing.' : 'It must be text.');
    return value;
  }

  /** A name that becomes the name of a file. */
  fileName(name: string): string {
    const text = this.text(name);
    const validated = validateCalibrationName(text);
    if (!validated.ok) throw this.invalid(name, validated.cause);
    return text;
  }

  number(name: string, lowest = Number.NEGATIVE_INFINITY): number {
    const value = this.#values[name];
    if (value === undefined) throw this.invalid(name, 'It is missing.');
    if (typeof value !== 'number' || !Number.isFinite(value)) throw this.invalid(name, 'It must be a number.');
    if (value < lowest) throw this.invalid(name, `It must be at least ${lowest}.`);
    return value;
  }

  numbers(name: string): number[] {
    const value = this.#values[name];
    if (!Array.isArray(value)) throw this.invalid(name, 'It must be a list of numbers.');
    return value.map((each: unknown, index) => {
      if (typeof each !== 'number' || !Number.isFinite(each))
        throw this.invalid(`${name}[${index}]`, 'It must be a number.');
      return each;
    });
  }

  choice<Choice extends string>(name: string, choices: readonly Choice[]): Choice {
    const value = this.#values[name];
    const found = choices.find((choice) => choice === value);
    if (found === undefined)
      throw this.invalid(name, `It must be one of ${choices.map((choice) => `"${choice}"`).join(', ')}, as text.`);
    return found;
  }

  angle(name: string): OdAngle {
    return this.choice(name, angles);
  }

  angles(name: string): OdAngle[] {
    const value = this.#values[name];
    if (!Array.isArray(value)) throw this.invalid(name, 'It must be a list of angles.');
    return value.map((each: unknown, index) => this.#angleAt(`${name}[${index}]`, each));
  }

  /** A time with a zone, as ISO 8601 in UTC with milliseconds. */
  instant(name: string): string {
    const text = this.text(name).trim();
    const ms = withZone.test(text) ? Date.parse(text.replace(' ', 'T')) : Number.NaN;
    if (Number.isNaN(ms)) throw this.invalid(name, 'It must be a time with a zone, such as 2026-11-21T04:24:05Z.');
    return new Date(ms).toISOString();
  }

  fields(name: string): FileFields {
    return new FileFields(this.#values[name], this.#at(name));
  }

  curve(name: string): Curve {
    const fields = this.fields(name);
    const type = fields.choice('type', ['poly', 'spline', 'akima']);
    if (type === 'poly') {
      const coefficients = fields.numbers('coefficients');
      if (coefficients.length === 0) throw fields.invalid('coefficients', 'It must have at least one number.');
      return { type, coefficients };
    }
    const knots = fields.numbers('knots');
    const rows = fields.raw('coefficients');
    if (knots.length < 2) throw fields.invalid('knots', 'It must have at least two numbers.');
    if (knots.some((knot, index) => index > 0 && knot <= (knots[index - 1] ?? knot)))
      throw fields.invalid('knots', 'The numbers must increase.');
    if (!Array.isArray(rows) || rows.length !== knots.length - 1)
      throw fields.invalid('coefficients', `It must have ${knots.length - 1} rows, one less than knots.`);
    return { type, knots, coefficients: rows.map((row: unknown, index) => fields.#cubic(row, index)) };
  }

  invalid(name: string, problem: string): InvalidCalibrationFile {
    return new InvalidCalibrationFile(this.#at(name), problem);
  }

  #at(name: string): string {
    return this.#place === '' ? name : `${this.#place}.${name}`;
  }

  #angleAt(place: string, value: unknown): OdAngle {
    const found = angles.find((angle) => angle === value);
    if (found === undefined) throw this.invalid(place, 'It must be "45", "90", "135" or "180", as text.');
    return found;
  }

  #cubic(row: unknown, index: number): Cubic {
    const problem = 'It must be a row of four numbers.';
    if (!Array.isArray(row) || row.length !== 4) throw this.invalid(`coefficients[${index}]`, problem);
    const [a, b, c, d]: unknown[] = row;
    const number = (value: unknown): number => {
      if (typeof value === 'number' && Number.isFinite(value)) return value;
      throw this.invalid(`coefficients[${index}]`, problem);
    };
    return [number(a), number(b), number(c), number(d)];
  }
}
