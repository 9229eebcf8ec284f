import { describe, expect, it } from 'vitest';
import {
  correlation,
  judgeAmbient,
  judgeBlank,
  judgeDarkOffset,
  judgeLight,
  judgeReference,
  judgeReferencePlace,
  judgeResponse,
  judgeSupply,
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
      judgeResponse(
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
      judgeResponse(
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
    ['light that every photodiode follows', judgeLight({ '1': 0.9, '2': 0.99 }), true],
    ['light that one does not follow', judgeLight({ '1': 0.89, '2': 0.99 }), false],
    ['no photodiode at all', judgeLight({}), false],
    ['a dark room', judgeAmbient({ '1': 0.0799 }), true],
    ['a bright room', judgeAmbient({ '1': 0.01, '2': 0.08 }), false],
    ['a dark offset that helps', judgeDarkOffset({ '1': [0.001, -0.001, 0.002] }), true],
    ['a dark offset that leaves something', judgeDarkOffset({ '1': [0.011, 0.011, 0.011] }), false],
    ['a dark that flickers', judgeDarkOffset({ '1': [0.009, -0.009, 0.009, -0.009] }), false],
    ['a good reference', judgeReference([0.2, 0.21]), true],
    ['a dark reference', judgeReference([0.009, 0.009]), false],
    ['a blinding reference', judgeReference([1.1, 1.1]), false],
    ['a reference that flickers', judgeReference([0.1, 0.9, 0.1, 0.9]), false],
    ['a reference beside the liquid', judgeReferencePlace([[1, 1.001]], [[[1, 1.02]]]), true],
    ['a reference that sees the liquid', judgeReferencePlace([[1, 1.02]], [[[1, 1.02]]]), false],
    ['signals that see no liquid', judgeReferencePlace([[1, 1]], [[[1, 1.0005]]]), false],
    ['a clear vial', judgeBlank([{ channel: '2', angle: '90', volts: 0.035 }]), true],
    ['a cloudy vial', judgeBlank([{ channel: '2', angle: '90', volts: 0.036 }]), false],
    ['a clear vial, forward', judgeBlank([{ channel: '3', angle: '135', volts: 0.15 }]), true],
    ['a usual supply', judgeSupply(18), true],
    ['a supply that is too high', judgeSupply(18.1), false],
  ])('tell %s', (_what, { passed, why }, isGood) => {
    expect(passed).toBe(isGood);
    expect(why).toMatch(/[.?]$/);
  });
});
