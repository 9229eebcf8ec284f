import { expect, it } from 'vitest';
import { libraryInputs } from './library/library-inputs.ts';
import { profileLibrary } from './library/profile-library.ts';
import { parseProfile } from './parse-profile.ts';
import { profileNotes, profileParameters, withWritten, yamlOf } from './profile-parameters.ts';

const textOf = (filename: string): string => profileLibrary.find((each) => each.filename === filename)?.text ?? '';

it('reads the inputs of each library profile, and each has words for people', () => {
  for (const { filename, text } of profileLibrary) {
    const names = profileParameters(text)?.inputs.map(({ name }) => name) ?? [];
    expect([filename, [...names].sort()]).toEqual([filename, Object.keys(libraryInputs[filename] ?? {}).sort()]);
  }
});

it('has one time for all jobs that end together, without the starts of the first minutes and what a condition decides', () => {
  const [end, ...others] = profileParameters(textOf('growth-curve.yaml'))?.times ?? [];
  expect(others).toEqual([]);
  expect(end?.hours).toBe(48);
  expect(end?.actions.map(({ type }) => type)).toEqual(['stop', 'stop', 'stop', 'stop']);
});

it('writes values into the text and leaves the rest as it is', () => {
  const text = textOf('growth-curve.yaml');
  const [temperature] = profileParameters(text)?.inputs ?? [];
  const warmer = withWritten(text, temperature?.places ?? [], yamlOf(30.5));
  expect(warmer).toBe(text.replace('temperature_c: 37', 'temperature_c: 30.5'));
  const longer = withWritten(warmer, profileParameters(warmer)?.times[0]?.places ?? [], '72h');
  expect(longer).toBe(warmer.replaceAll('t: 48h', 't: 72h'));
  expect(parseProfile(longer).is).toBe('valid');
});

it('names the units, also when two have the same name for a moment', () => {
  const text = textOf('replicate-design.yaml');
  const units = profileParameters(text)?.units ?? [];
  expect(units.map(({ unit, label }) => [unit, label])).toEqual([
    ['unit1', 'control 1'],
    ['unit2', 'treated 1'],
    ['unit3', 'treated 2'],
    ['unit4', 'control 2'],
  ]);
  const twice = withWritten(text, units[0]?.places ?? [], 'unit2');
  expect(profileParameters(twice)?.units.map(({ unit }) => unit)).toEqual(['unit2', 'unit2', 'unit3', 'unit4']);
});

it('reads nothing from what is no YAML, and no fields from what is no profile', () => {
  expect(profileParameters('a: {')).toBeUndefined();
  expect(profileParameters('- 1')).toEqual({ inputs: [], times: [], units: [] });
  expect(profileParameters('inputs: {a: [1], b: null, c: "x", d: true}')?.inputs.map(({ value }) => value)).toEqual([
    'x',
    true,
  ]);
});

it('reads the notes at the beginning of a profile', () => {
  const notes = profileNotes(textOf('medium-switch.yaml'));
  expect(notes.map(({ heading }) => heading)).toEqual(['Adapt', 'Needs', 'Measures', 'Safe']);
  expect(notes[1]?.text).toMatch(/^calibrated alt_media .* alternative medium\.$/);
  expect(profileNotes('experiment_profile_name: x\n')).toEqual([]);
});
