import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { type Fault, firstFault } from './schema-fault.ts';

/** A compiled schema. */
export interface CompiledSchema {
  readonly check: (value: unknown) => boolean;
  /** The first fault of a value that `check` rejects. */
  readonly fault: (value: unknown) => Fault;
}

const pathOfPointer = (pointer: string): readonly string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

type Validator = ReturnType<typeof Compile>;

/** By schema: all nodes of a process, and several routes of a node, share declarations. */
const validators = new WeakMap<TSchema, Validator>();

function validatorOf(schema: TSchema): Validator {
  const known = validators.get(schema);
  if (known !== undefined) return known;
  const compiled = Compile(schema);
  validators.set(schema, compiled);
  return compiled;
}

/** Compiles a schema at its first use: a node has hundreds of routes, and most of them are never requested. */
export function compileSchema(schema: TSchema): CompiledSchema {
  const validator = () => validatorOf(schema);
  return {
    check: (value) => validator().Check(value),
    fault: (value) => {
      const found = firstFault(schema, value);
      if (found) return found;
      const [error] = validator().Errors(value);
      return { path: pathOfPointer(error?.instancePath ?? ''), problem: error?.message ?? 'not a valid value' };
    },
  };
}
