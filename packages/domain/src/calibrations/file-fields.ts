import type { Curve, OdAngle } from '@lcs/contract';
import type { Cubic } from '../curves/curve.ts';
import { artefactName } from './artefact-name.ts';

/** A file of a calibration or an estimator says something that cannot be; the message names where. */
export class ArtefactInvalid extends Error {
  constructor(place: string, problem: string) {
    super(place === '' ? problem : `${place}: ${problem}`);
    this.name = 'ArtefactInvalid';
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const angles = ['45', '90', '135', '180'] as const;
const withZone = /(Z|[+-]\d{2}:?\d{2})$/i;

/** Reads the fields of one object of a file; every method throws ArtefactInvalid. */
export class FileFields {
  readonly #place: string;
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(value: unknown, place = '') {
    if (!isObject(value)) throw new ArtefactInvalid(place, 'It must be an object with named fields.');
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

  text(name: string, usual?: string): string {
    const value = this.#values[name] ?? usual;
    if (typeof value !== 'string') throw this.fault(name, value === undefined ? 'It is missing.' : 'It must be text.');
    return value;
  }

  /** A name that becomes the name of a file. */
  fileName(name: string): string {
    const text = this.text(name);
    const verdict = artefactName(text);
    if (!verdict.ok) throw this.fault(name, verdict.cause);
    return text;
  }

  number(name: string, lowest = Number.NEGATIVE_INFINITY): number {
    const value = this.#values[name];
    if (value === undefined) throw this.fault(name, 'It is missing.');
    if (typeof value !== 'number' || !Number.isFinite(value)) throw this.fault(name, 'It must be a number.');
    if (value < lowest) throw this.fault(name, `It must be at least ${lowest}.`);
    return value;
  }

  numbers(name: string): number[] {
    const value = this.#values[name];
    if (!Array.isArray(value)) throw this.fault(name, 'It must be a list of numbers.');
    return value.map((each: unknown, index) => {
      if (typeof each !== 'number' || !Number.isFinite(each))
        throw this.fault(`${name}[${index}]`, 'It must be a number.');
      return each;
    });
  }

  choice<Choice extends string>(name: string, choices: readonly Choice[]): Choice {
    const value = this.#values[name];
    const found = choices.find((choice) => choice === value);
    if (found === undefined)
      throw this.fault(name, `It must be one of ${choices.map((choice) => `"${choice}"`).join(', ')}, as text.`);
    return found;
  }

  angle(name: string): OdAngle {
    return this.choice(name, angles);
  }

  angles(name: string): OdAngle[] {
    const value = this.#values[name];
    if (!Array.isArray(value)) throw this.fault(name, 'It must be a list of angles.');
    return value.map((each: unknown, index) => this.#angleAt(`${name}[${index}]`, each));
  }

  /** A moment with its zone, as ISO-8601 in UTC with milliseconds. */
  instant(name: string): string {
    const text = this.text(name).trim();
    const ms = withZone.test(text) ? Date.parse(text.replace(' ', 'T')) : Number.NaN;
    if (Number.isNaN(ms)) throw this.fault(name, 'It must be a moment with its zone, such as 2026-11-21T04:24:05Z.');
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
      if (coefficients.length === 0) throw fields.fault('coefficients', 'There must be one at least.');
      return { type, coefficients };
    }
    const knots = fields.numbers('knots');
    const rows = fields.raw('coefficients');
    if (knots.length < 2) throw fields.fault('knots', 'There must be two at least.');
    if (knots.some((knot, index) => index > 0 && knot <= (knots[index - 1] ?? knot)))
      throw fields.fault('knots', 'They must increase.');
    if (!Array.isArray(rows) || rows.length !== knots.length - 1)
      throw fields.fault('coefficients', `There must be ${knots.length - 1} rows, one less than knots.`);
    return { type, knots, coefficients: rows.map((row: unknown, index) => fields.#cubic(row, index)) };
  }

  fault(name: string, problem: string): ArtefactInvalid {
    return new ArtefactInvalid(this.#at(name), problem);
  }

  #at(name: string): string {
    return this.#place === '' ? name : `${this.#place}.${name}`;
  }

  #angleAt(place: string, value: unknown): OdAngle {
    const found = angles.find((angle) => angle === value);
    if (found === undefined) throw this.fault(place, 'It must be "45", "90", "135" or "180", as text.');
    return found;
  }

  #cubic(row: unknown, index: number): Cubic {
    const problem = 'It must be a row of four numbers.';
    if (!Array.isArray(row) || row.length !== 4) throw this.fault(`coefficients[${index}]`, problem);
    const [a, b, c, d]: unknown[] = row;
    const number = (value: unknown): number => {
      if (typeof value === 'number' && Number.isFinite(value)) return value;
      throw this.fault(`coefficients[${index}]`, problem);
    };
    return [number(a), number(b), number(c), number(d)];
  }
}
