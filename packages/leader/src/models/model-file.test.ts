import { describe, expect, it } from 'vitest';
import { ModelFileError, parseModelFile } from './model-file.ts';

const good = `
model_name: my_reactor_60ml
model_version: "2.0"
display_name: My reactor
reactor_capacity_ml: 60
reactor_diameter_mm: 31.5
reactor_max_fill_volume_ml: 54
max_temp_to_reduce_heating: 60
max_temp_to_disable_heating: 62
max_temp_to_shutdown: 64
`;

const causeOf = (text: string): string => {
  try {
    parseModelFile(text);
  } catch (error) {
    if (error instanceof ModelFileError) return error.message;
    throw error;
  }
  throw new Error('The file was accepted.');
};

describe('parseModelFile', () => {
  it('reads a model, marked as contributed whatever the file contains', () => {
    const model = {
      model_name: 'my_reactor_60ml',
      model_version: '2.0',
      display_name: 'My reactor',
      reactor_capacity_ml: 60,
      reactor_diameter_mm: 31.5,
      reactor_max_fill_volume_ml: 54,
      max_temp_to_reduce_heating: 60,
      max_temp_to_disable_heating: 62,
      max_temp_to_shutdown: 64,
      is_legacy: false,
      is_contrib: true,
    };
    expect(parseModelFile(good)).toEqual(model);
    expect(parseModelFile(`${good}is_legacy: true\nis_contrib: false\n`)).toEqual(model);
  });

  it('understands the old prefix of model names', () => {
    expect(parseModelFile(good.replace('my_reactor_60ml', 'pioreactor_20ml')).model_name).toBe('reactor_20ml');
  });

  it.each([
    [good.replace('"2.0"', '2.0'), 'model_version must be a text: put 2 in quotes.'],
    [good.replace('display_name: My reactor', ''), 'display_name is missing or no text.'],
    [good.replace('60\nreactor_diameter', '"60"\nreactor_diameter'), 'reactor_capacity_ml is missing or no number.'],
    [good.replace('31.5', '.inf'), "'Infinity' cannot be used as a value here at line 6, column 22."],
    [good.replace('31.5', '0'), 'reactor_diameter_mm must be above 0.'],
    [good.replace('54', '61'), 'reactor_max_fill_volume_ml is above reactor_capacity_ml.'],
    [good.replace('62', '59'), 'The temperatures must rise from reduce over disable to shutdown.'],
    [`${good}colour: red\n`, 'colour is no field of a model.'],
    ['- a\n- b\n', 'The file has no keys and values.'],
    ['', 'The file has no keys and values.'],
  ])('refuses %j', (text, cause) => {
    expect(causeOf(text)).toBe(cause);
  });

  it.each(['a: [', 'a: b: c', 'a: 1\na: 2', '\ta: 1'])('refuses what is no YAML: %j', (text) => {
    expect(causeOf(text)).not.toBe('');
  });
});
