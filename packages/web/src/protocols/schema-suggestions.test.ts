import { profileSchema } from '@lcs/domain';
import { describe, expect, it } from 'vitest';
import { suggestionsAt } from './schema-suggestions.ts';
import { yamlPlace } from './yaml-place.ts';

const names = { jobs: ['stirring', 'od_reading'], units: ['rx01'] };
const at = (text: string) => suggestionsAt(profileSchema, yamlPlace(text), names);
const labels = (text: string): readonly string[] => at(text).map(({ label }) => label);

const actions = `common:
  jobs:
    stirring:
      # how fast
      actions:
`;

describe('keys', () => {
  it('of the document are suggested, without those above', () => {
    expect(labels('ver')).toContain('version');
    expect(labels('version: "1.0"\n')).toContain('experiment_profile_name');
    expect(labels('version: "1.0"\n')).not.toContain('version');
    expect(at('').find(({ label }) => label === 'common')?.text).toBe('common:');
    expect(at('').find(({ label }) => label === 'version')?.text).toBe('version: ');
  });

  it('of jobs and units are their names', () => {
    expect(labels('common:\n  jobs:\n    ')).toEqual(names.jobs);
    expect(labels('common:\n  jobs:\n    stirring:\n      actions: []\n    ')).toEqual(['od_reading']);
    expect(labels('reactors:\n  ')).toEqual(names.units);
    expect(labels('reactors:\n  rx01:\n    ')).toEqual(['label', 'jobs']);
  });

  it('of an action are those of its type, in blocks and in braces', () => {
    const ofRepeat = labels(`${actions}        - type: repeat\n          t: 1h\n          `);
    expect(ofRepeat).toEqual(expect.arrayContaining(['every', 'while', 'actions']));
    expect(ofRepeat).not.toContain('wait_until');
    expect(ofRepeat).not.toContain('t');
    const ofStart = labels(`${actions}        - {type: start, t: 1h, `);
    expect(ofStart).toEqual(expect.arrayContaining(['options', 'args', 'if']));
    expect(ofStart).not.toContain('every');
    expect(labels(`${actions}        - `)).toContain('type');
  });

  it('of lists at the column of their key, and below earlier items', () => {
    expect(labels('common:\n  jobs:\n    stirring:\n      actions:\n      - type: stop\n        ')).toContain('t');
    expect(labels(`${actions}        - {type: start, t: 0s}\n        - {`)).toContain('type');
  });

  it('of nested actions and options', () => {
    const nested = `${actions}        - type: repeat\n          every: 1h\n          actions:\n            - {type: log, options: {`;
    expect(labels(nested)).toEqual(['message', 'level']);
    expect(labels(`${actions}        - {type: start, options: {`)).toEqual([]);
    expect(labels(`${actions}        - {type: log, options: {message: "a, {b}", `)).toEqual(['level']);
  });
});

describe('values', () => {
  it('are the types of actions, without those that may not be nested', () => {
    expect(labels(`${actions}        - type: `)).toEqual(expect.arrayContaining(['start', 'repeat', 'when']));
    const nested = `${actions}        - type: repeat\n          actions:\n            - {type: st`;
    expect(labels(nested)).toContain('start');
    expect(labels(nested)).not.toContain('repeat');
    expect(at(`${actions}        - {type: `).find(({ label }) => label === 'stop')?.description).toMatch(/^Stops/);
  });

  it('that are texts and look like numbers get quotes', () => {
    expect(at('version: ').map(({ text }) => text)).toEqual(['"1.0"']);
  });

  it('of levels', () => {
    expect(labels(`${actions}        - {type: log, options: {message: x, level: `)).toContain('WARNING');
  });

  it('of anything else are not suggested', () => {
    expect(labels('inputs:\n  x: ')).toEqual([]);
    expect(labels('inputs:\n  ')).toEqual([]);
    expect(labels(`${actions}        - {type: start, t: `)).toEqual([]);
  });
});
