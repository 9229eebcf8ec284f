import type { SessionField, SessionStep } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { answerInputs, knownInputs } from './answer-inputs.ts';
import { fieldOf, stepOf } from './protocol.ts';

const number = (name: string): SessionField => fieldOf({ name, label: name, field_type: 'float', default: 5 });
const form = (...names: readonly string[]): SessionStep =>
  stepOf('s', 'form', { title: 't', body: 'b', fields: names.map(number) });
const info = stepOf('s', 'info', { title: 't', body: 'b' });
const again = { label: 'Again', inputs: { action: 'redo_last' } };

describe('an answer in one value', () => {
  it.each([
    ['the value of the only field', form('rpm'), 500, { rpm: 500 }],
    ['text of it', form('name'), 'my pump', { name: 'my pump' }],
    ['a truth', form('overwrite'), false, { overwrite: false }],
    ['all fields', form('hz', 'dc'), { hz: 250, dc: 80 }, { hz: 250, dc: 80 }],
    ['their JSON', form('hz', 'dc'), ' {"hz": 250, "dc": 80}', { hz: 250, dc: 80 }],
    ['the word that goes on', info, 'next', {}],
    ['the same in a form', form('hz', 'dc'), 'next', {}],
    ['the word that stops', info, 'stop', { action: 'stop' }],
    [
      'a further button',
      { ...form('volume_ml'), metadata: { actions: [again] } },
      'redo_last',
      { action: 'redo_last' },
    ],
    ['no button of this step', form('volume_ml'), 'redo_last', { volume_ml: 'redo_last' }],
  ])('may be %s', (_, step, answer, inputs) => {
    expect(answerInputs(step, answer)).toEqual(inputs);
  });

  it.each([
    ['a value for a step without fields', info, 'yes', 'next'],
    ['one value for two fields', form('hz', 'dc'), 5, '{"hz":5,"dc":5}'],
    ['broken JSON', form('hz'), '{"hz": ', 'JSON'],
  ])('cannot be %s', (_, step, answer, cause) => {
    expect(() => answerInputs(step, answer)).toThrow(cause);
  });
});

describe('what is known beforehand', () => {
  it('answers a form of which it knows all', () => {
    const known = { hz: 250, dc: 80, rpm: 1 };
    expect(knownInputs(form('hz', 'dc'), known)).toEqual({ hz: 250, dc: 80 });
    expect(knownInputs(form('hz', 'volume_ml'), known)).toBeUndefined();
    expect(knownInputs(info, known)).toBeUndefined();
    expect(knownInputs(stepOf('s', 'action', { title: 't', body: 'b' }), known)).toBeUndefined();
  });
});
