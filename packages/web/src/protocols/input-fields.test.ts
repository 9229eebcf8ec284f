import { profileLibrary, profileNotes, profileParameters } from '@lcs/domain';
import { expect, it } from 'vitest';
import { chosenTwice, declaresInputs, inputFields, noteWords, timeFields, unitFields } from './input-fields.ts';

const textOf = (filename: string): string => profileLibrary.find((each) => each.filename === filename)?.text ?? '';
const parametersOf = (text: string) => profileParameters(text) ?? { inputs: [], times: [], units: [] };

it('gives the inputs of a library profile and of its copies words and units', () => {
  const copy = parametersOf(textOf('turbidostat-ramp.yaml').replace('first: 4', 'first: 5'));
  expect(inputFields(copy).map(({ field, value }) => [field.label, 'unit' in field && field.unit, value])).toEqual([
    ['Temperature', '°C', 30],
    ['Stirring speed', 'RPM', 500],
    ['First target OD', '× start OD', 5],
    ['Step of the target', '× start OD', 1],
    ['Last target OD', '× start OD', 8],
    ['Volume of one dilution', 'mL', 1],
  ]);
});

it('reads label and unit of other inputs from their names', () => {
  const own = parametersOf('inputs: {first: 1, feed_ml: 2, wait_min: 3, strain: "K12", is_fed: true}');
  expect(inputFields(own).map(({ field }) => [field.label, field.kind, 'unit' in field ? field.unit : null])).toEqual([
    ['First', 'number', null],
    ['Feed', 'number', 'mL'],
    ['Wait', 'number', 'min'],
    ['Strain', 'text', null],
    ['Is fed', 'switch', null],
  ]);
});

it('says what is due at each time', () => {
  const labels = timeFields(parametersOf(textOf('chemostat-series.yaml'))).map(({ field, value }) => [
    field.label,
    value,
  ]);
  expect(labels).toEqual([
    ['Start dosing after', 12],
    ['Change dosing after', 62],
    ['Change dosing after', 87],
    ['Stop dosing after', 104],
  ]);
  expect(timeFields(parametersOf(textOf('growth-curve.yaml')))[0]?.field.label).toBe(
    'Stop stirring, temperature control, OD reading, growth rate after',
  );
});

it('offers the units of the cluster beside those that the profile names', () => {
  const parameters = parametersOf(textOf('replicate-design.yaml'));
  const [first] = unitFields(parameters, ['rx1', 'unit1']);
  expect(first?.field).toMatchObject({ label: 'Unit of “control 1”', options: [{ value: 'unit1' }, { value: 'rx1' }] });
  const [unknown] = unitFields(parameters, ['rx1']);
  expect(unknown?.field).toMatchObject({ options: [{ label: 'unit1 (not in this cluster)' }, { label: 'rx1' }] });
  expect(chosenTwice({ units: [...parameters.units, ...parameters.units.slice(1, 2)] })).toEqual(new Set(['unit2']));
});

it('opens as a form when there are inputs', () => {
  expect(profileLibrary.every(({ text }) => declaresInputs(text))).toBe(true);
  expect(declaresInputs('inputs:\n  a: 1\n')).toBe(true);
  for (const text of ['inputs: {}\n', 'inputs: { }\ncommon: {}\n', 'inputs:\ncommon: {}\n', 'a: 1\n'])
    expect(declaresInputs(text)).toBe(false);
});

it('has no names of programs in the notes', () => {
  for (const { text } of profileLibrary)
    for (const note of profileNotes(text))
      expect(noteWords(note.text, parametersOf(text))).not.toMatch(/[a-z0-9]_[a-z0-9]/);
});
