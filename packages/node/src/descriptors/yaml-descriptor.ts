import { InvalidDescriptor, readYaml, YamlError, type YamlValue } from '@lcs/domain';
import { describeFault, type Fault, firstFault } from '@lcs/platform';
import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';

/** The fault of a descriptor file with its position. */
export class DescriptorFileError extends Error {
  /** From 1; null for a fault of the whole file. */
  readonly line: number | null;
  constructor(line: number | null, message: string) {
    super(message);
    this.line = line;
  }
}

/** Turns the text of a file, whose path is below the data folder, into a descriptor. @throws DescriptorFileError */
export type DescriptorReader<Descriptor> = (text: string, path: string) => Descriptor;

/** Booleans of YAML 1.1; files of similar systems still use them. */
const oldBooleans: ReadonlyMap<unknown, boolean> = new Map([
  ['yes', true],
  ['Yes', true],
  ['on', true],
  ['On', true],
  ['no', false],
  ['No', false],
  ['off', false],
  ['Off', false],
]);

/**
 * Makes a reader for files of one schema. `complete` adds defaults and throws `InvalidDescriptor` for contradictions.
 */
export function descriptorReader<Schema extends TSchema, Descriptor>(
  schema: Schema,
  complete: (file: Static<Schema>) => Descriptor,
): (text: string) => Descriptor {
  let compiled: { check(value: unknown): value is Static<Schema> } | undefined;
  const check = () => {
    if (compiled === undefined) {
      const validator = Compile(schema);
      compiled = { check: (value): value is Static<Schema> => validator.Check(value) };
    }
    return compiled;
  };
  return (text) => {
    const { value, place } = read(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new DescriptorFileError(null, 'The file has no keys and values.');
    }
    convertBooleans(schema, value);
    const { check: fits } = check();
    if (!fits(value)) {
      const fault: Fault = firstFault(schema, value) ?? { path: [], problem: 'the file does not match the schema' };
      throw new DescriptorFileError(place(fault.path).line, `${describeFault(fault)}.`);
    }
    try {
      return complete(value);
    } catch (error) {
      if (error instanceof InvalidDescriptor) throw new DescriptorFileError(place(error.path).line, error.message);
      throw error;
    }
  };
}

function read(text: string): YamlValue {
  try {
    return readYaml(text);
  } catch (error) {
    if (error instanceof YamlError) throw new DescriptorFileError(error.at.line, error.message);
    throw error;
  }
}

/** Converts yes and no of the file to booleans where the schema requires them. */
function convertBooleans(schema: TSchema, value: object): void {
  const properties: unknown = Reflect.get(schema, 'properties');
  if (typeof properties !== 'object' || properties === null) return;
  for (const [name, property] of Object.entries(properties)) {
    const own: unknown = Reflect.get(value, name);
    if (Reflect.get(property, 'type') === 'boolean' && oldBooleans.has(own)) {
      Reflect.set(value, name, oldBooleans.get(own));
    } else if (Array.isArray(own)) {
      const items: unknown = Reflect.get(property, 'items');
      for (const item of own) {
        if (typeof item === 'object' && item !== null && isSchema(items)) convertBooleans(items, item);
      }
    }
  }
}

const isSchema = (value: unknown): value is TSchema => typeof value === 'object' && value !== null;
