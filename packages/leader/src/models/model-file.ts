import type { Model } from '@lcs/contract';
import { normaliseModelName, readYaml, YamlError } from '@lcs/domain';

/** A model file is not valid; the message is the reason, for people. */
export class ModelFileError extends Error {}

/** Numbers that a model must have; the least plausible values. */
const numbers = [
  'reactor_capacity_ml',
  'reactor_diameter_mm',
  'reactor_max_fill_volume_ml',
  'max_temp_to_reduce_heating',
  'max_temp_to_disable_heating',
  'max_temp_to_shutdown',
] as const;
const texts = ['model_name', 'model_version', 'display_name'] as const;
/** Keys that a file may contain and that are ignored: a model of a file is neither built-in nor legacy. */
const ignored: readonly string[] = ['is_legacy', 'is_contrib'];

type Fields = Readonly<Record<string, unknown>>;

function textOf(fields: Fields, key: (typeof texts)[number]): string {
  const value = fields[key];
  if (typeof value === 'number') throw new ModelFileError(`${key} must be a text: put ${value} in quotes.`);
  if (typeof value !== 'string' || value.trim() === '') throw new ModelFileError(`${key} is missing or no text.`);
  return value;
}

function numberOf(fields: Fields, key: (typeof numbers)[number]): number {
  const value = fields[key];
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new ModelFileError(`${key} is missing or no number.`);
  if (value <= 0) throw new ModelFileError(`${key} must be above 0.`);
  return value;
}

function valueIn(text: string): unknown {
  try {
    return readYaml(text).value;
  } catch (error) {
    throw error instanceof YamlError ? new ModelFileError(error.message) : error;
  }
}

function fieldsOf(text: string): Fields {
  const value = valueIn(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ModelFileError('The file has no keys and values.');
  }
  return { ...value };
}

/** Heating must be reduced at a lower temperature than it is switched off, and that below the shutdown of the unit. */
function checkOrder(model: Model): void {
  if (model.reactor_max_fill_volume_ml > model.reactor_capacity_ml) {
    throw new ModelFileError('reactor_max_fill_volume_ml is above reactor_capacity_ml.');
  }
  const { max_temp_to_reduce_heating: reduce, max_temp_to_disable_heating: disable } = model;
  if (reduce > disable || disable > model.max_temp_to_shutdown) {
    throw new ModelFileError('The temperatures must rise from reduce over disable to shutdown.');
  }
}

/**
 * Reads a user's model from YAML.
 * @throws ModelFileError
 */
export function parseModelFile(text: string): Model {
  const fields = fieldsOf(text);
  const known: readonly string[] = [...texts, ...numbers, ...ignored];
  const unknown = Object.keys(fields).find((key) => !known.includes(key));
  if (unknown !== undefined) throw new ModelFileError(`${unknown} is no field of a model.`);
  const model: Model = {
    model_name: normaliseModelName(textOf(fields, 'model_name')),
    model_version: textOf(fields, 'model_version'),
    display_name: textOf(fields, 'display_name'),
    reactor_capacity_ml: numberOf(fields, 'reactor_capacity_ml'),
    reactor_diameter_mm: numberOf(fields, 'reactor_diameter_mm'),
    reactor_max_fill_volume_ml: numberOf(fields, 'reactor_max_fill_volume_ml'),
    max_temp_to_reduce_heating: numberOf(fields, 'max_temp_to_reduce_heating'),
    max_temp_to_disable_heating: numberOf(fields, 'max_temp_to_disable_heating'),
    max_temp_to_shutdown: numberOf(fields, 'max_temp_to_shutdown'),
    is_legacy: false,
    is_contrib: true,
  };
  checkOrder(model);
  return model;
}
