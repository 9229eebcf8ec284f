import fc from 'fast-check';
import type { Suggestions } from '../arbitrary-from-schema.ts';
import type { Known, NodeName } from '../known.ts';
import type { InputKind } from '../special-inputs.ts';

/** What a request brings; what is absent is made from the declaration of the route. */
export interface Given {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly file?: { readonly content: string | Uint8Array<ArrayBuffer>; readonly fileName: string };
  readonly headers?: Readonly<Record<string, string>>;
  /** Written in the path as they are, instead of the params of the same names. */
  readonly rawParams?: Readonly<Record<string, string>>;
  /** Sent as it is, instead of `body`. */
  readonly rawBody?: string;
  readonly special?: Special;
}

/** A request with an input of a special kind. */
export interface Special {
  readonly kind: InputKind;
  /** The input is beyond a limit or is no name: a success would be a defect. */
  readonly mustFail: boolean;
}

/** What people would send of one feature. */
export interface Feature {
  /** By the name of a parameter or field, for each operation. */
  readonly values?: (known: Known, operation: string) => Suggestions;
  /** Whole requests of an operation. */
  readonly requests?: Readonly<Record<string, (known: Known, node: NodeName) => fc.Arbitrary<Given>>>;
}

/** One of them, or something else that does not exist where there is none. */
export const oneOf = <Item>(items: Iterable<Item>, otherwise: Item): fc.Arbitrary<Item> => {
  const all = [...items];
  return all.length === 0 ? fc.constant(otherwise) : fc.constantFrom(...all);
};

/** Mostly what exists, so that sequences go somewhere. */
export const mostly = (existing: Iterable<string>, all: readonly string[]): fc.Arbitrary<string> => {
  const names = [...existing];
  const any = fc.constantFrom(...all);
  return names.length === 0
    ? any
    : fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...names) }, { weight: 1, arbitrary: any });
};

/** Mostly what should succeed, now and then what should not. */
export const usually = <Item>(fits: readonly Item[], fails: readonly Item[]): fc.Arbitrary<Item> =>
  fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...fits) }, { weight: 1, arbitrary: fc.constantFrom(...fails) });

/** The same requests for several operations. */
export const forAll = (
  operations: readonly string[],
  make: (known: Known, node: NodeName) => fc.Arbitrary<Given>,
): Record<string, (known: Known, node: NodeName) => fc.Arbitrary<Given>> =>
  Object.fromEntries(operations.map((operation) => [operation, make]));
