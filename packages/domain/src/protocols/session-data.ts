import { isObject, type Json } from '@lcs/contract';

type Values = Readonly<Record<string, Json>>;

/** The data of a session. Reading an absent value, or one of another type, is a programming mistake in the protocol. */
export class SessionData {
  readonly values: Values;

  constructor(values: Values) {
    this.values = values;
  }

  text(name: string): string {
    const value = this.values[name];
    if (typeof value !== 'string') throw this.#missing(name);
    return value;
  }

  number(name: string): number {
    const value = this.values[name];
    if (typeof value !== 'number') throw this.#missing(name);
    return value;
  }

  numbers(name: string): readonly number[] {
    const value = this.values[name];
    if (!Array.isArray(value)) throw this.#missing(name);
    return value.map((each) => {
      if (typeof each !== 'number') throw this.#missing(name);
      return each;
    });
  }

  /** Lists of numbers by name; empty if absent. */
  lists(name: string): Readonly<Record<string, readonly number[]>> {
    const value = this.values[name];
    if (value === undefined || value === null) return {};
    if (!isObject(value)) throw this.#missing(name);
    const inner = new SessionData(value);
    return Object.fromEntries(Object.keys(value).map((key) => [key, inner.numbers(key)]));
  }

  /** Texts by name. */
  texts(name: string): Readonly<Record<string, string>> {
    const value = this.values[name];
    if (!isObject(value)) throw this.#missing(name);
    const inner = new SessionData(value);
    return Object.fromEntries(Object.keys(value).map((key) => [key, inner.text(key)]));
  }

  #missing(name: string): Error {
    return new Error(`The session has no ${name}.`);
  }
}
