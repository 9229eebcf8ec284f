import { describe, expect, it } from 'vitest';
import {
  correlation,
  evaluateAmbientLight,
  evaluateBlank,
  evaluateDarkOffset,
  evaluateLight,
  evaluateReference,
  evaluateReferencePosition,
  evaluateResponse,
  evaluateSupply,
} from './self-test.ts';

describe('the judgements of a self-test', () => {
  it('correlate what follows and what does not', () => {
    expect(
      correlation([
        [0, 1],
        [1, 3],
        [2, 5],
      ]),
    ).toBe(1);
    expect(
      correlation([
        [0, 5],
        [1, 3],
        [2, 1],
      ]),
    ).toBe(-1);
    expect(
      correlation([
        [0, 2],
        [1, 2],
        [2, 2],
      ]),
    ).toBe(0);
    expect(
      evaluateResponse(
        [
          [0, 20],
          [3, 20.1],
          [6, 20.5],
        ],
        'heating',
        'warmth',
      ).passed,
    ).toBe(true);
    expect(
      evaluateResponse(
        [
          [0, 20],
          [3, 19],
          [6, 20.5],
        ],
        'heating',
        'warmth',
      ).passed,
    ).toBe(false);
  });

  it.each([
    ['light that every photodiode follows', evaluateLight({ '1': 0.9, '2': 0.99 }), true],
    ['light that one does not follow', evaluateLight({ '1': 0.89, '2': 0.99 }), false],
    ['no photodiode at all', evaluateLight({}), false],
    ['a dark room', evaluateAmbientLight({ '1': 0.0799 }), true],
    ['a bright room', evaluateAmbientLight({ '1': 0.01, '2': 0.08 }), false],
    ['a dark offset that helps', evaluateDarkOffset({ '1': [0.001, -0.001, 0.002] }), true],
    ['a dark offset that leaves something', evaluateDarkOffset({ '1': [0.011, 0.011, 0.011] }), false],
    ['a dark that flickers', evaluateDarkOffset({ '1': [0.009, -0.009, 0.009, -0.009] }), false],
    ['a good reference', evaluateReference([0.2, 0.21]), true],
    ['a dark reference', evaluateReference([0.009, 0.009]), false],
    ['a blinding reference', evaluateReference([1.1, 1.1]), false],
    ['a reference that flickers', evaluateReference([0.1, 0.9, 0.1, 0.9]), false],
    ['a reference beside the liquid', evaluateReferencePosition([[1, 1.001]], [[[1, 1.02]]]), true],
    ['a reference that sees the liquid', evaluateReferencePosition([[1, 1.02]], [[[1, 1.02]]]), false],
    ['signals that see no liquid', evaluateReferencePosition([[1, 1]], [[[1, 1.0005]]]), false],
    ['a clear vial', evaluateBlank([{ channel: '2', angle: '90', volts: 0.035 }]), true],
    ['a cloudy vial', evaluateBlank([{ channel: '2', angle: '90', volts: 0.036 }]), false],
    ['a clear vial, forward', evaluateBlank([{ channel: '3', angle: '135', volts: 0.15 }]), true],
    ['a usual supply', evaluateSupply(18), true],
    ['a supply that is too high', evaluateSupply(18.1), false],
  ])('tell %s', (_what, { passed, why }, isGood) => {
    expect(passed).toBe(isGood);
    expect(why).toMatch(/[.?]$/);
  });
});
