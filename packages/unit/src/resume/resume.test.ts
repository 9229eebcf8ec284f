import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ResumeFacts, resumeDecision } from './resume.ts';

const desired = { isMember: true, isActive: true, experimentUid: 'e1' };
const facts: ResumeFacts = {
  policy: 'resume',
  isActuating: true,
  belongsToNode: false,
  experimentUid: 'e1',
  desired,
  hasLeaderContact: true,
  hasWaited: false,
  isOrderedToStop: false,
  isDiskFull: false,
};
const decide = (changes: Partial<ResumeFacts>) => resumeDecision({ ...facts, ...changes }).kind;

describe('a job that a restart has cut', () => {
  it('continues once the leader has confirmed it', () => {
    expect(decide({})).toBe('resume');
  });

  it('waits for the leader when it drives an output, and continues with a warning after the wait', () => {
    expect(decide({ hasLeaderContact: false })).toBe('wait');
    expect(resumeDecision({ ...facts, hasLeaderContact: false, hasWaited: true })).toMatchObject({
      kind: 'resume',
      warning: expect.any(String),
    });
  });

  it('continues at once when it only measures', () => {
    expect(decide({ hasLeaderContact: false, isActuating: false })).toBe('resume');
  });

  it('is held or left off by its policy', () => {
    expect([decide({ policy: 'hold' }), decide({ policy: 'off' })]).toEqual(['hold', 'off']);
  });

  it('stays off when it was ordered to stop meanwhile, whatever the policy', () => {
    expect([decide({ isOrderedToStop: true }), decide({ isOrderedToStop: true, policy: 'hold' })]).toEqual([
      'off',
      'off',
    ]);
  });

  it('stays off, as a failure, when nothing can be recorded of it', () => {
    expect(decide({ isDiskFull: true })).toBe('failed');
    expect(decide({ isDiskFull: true, isOrderedToStop: true })).toBe('off');
    expect(decide({ isDiskFull: true, desired: undefined })).toBe('failed');
    expect(decide({ isDiskFull: true, hasLeaderContact: false })).toBe('failed');
    expect(decide({ isDiskFull: true, isActuating: false, belongsToNode: true })).toBe('resume');
  });

  it('reports the end of its experiment, not the full disk, when it would stay off anyway', () => {
    expect(decide({ isDiskFull: true, experimentUid: 'e2' })).toBe('off');
    expect(decide({ isDiskFull: true, desired: { ...desired, isActive: false }, hasWaited: true })).toBe('off');
    expect(decide({ isDiskFull: true, experimentUid: 'e2', hasLeaderContact: false })).toBe('wait');
  });

  it('stays off when the unit has another experiment, is inactive or has left', () => {
    expect(decide({ experimentUid: 'e2' })).toBe('off');
    expect(decide({ desired: { ...desired, isActive: false } })).toBe('off');
    expect(decide({ desired: { ...desired, isMember: false } })).toBe('off');
  });

  it('does not trust an old document that speaks against it before the leader was waited for', () => {
    expect(decide({ experimentUid: 'e2', hasLeaderContact: false })).toBe('wait');
  });

  it('never moves anything without a document that names its experiment', () => {
    const anyFacts = fc.record<ResumeFacts>({
      policy: fc.constantFrom('resume', 'hold', 'off'),
      isActuating: fc.boolean(),
      belongsToNode: fc.boolean(),
      experimentUid: fc.constantFrom('e1', 'e2', null),
      desired: fc.option(
        fc.record({
          isMember: fc.boolean(),
          isActive: fc.boolean(),
          experimentUid: fc.constantFrom('e1', 'e2', null),
        }),
        { nil: undefined },
      ),
      hasLeaderContact: fc.boolean(),
      hasWaited: fc.boolean(),
      isOrderedToStop: fc.boolean(),
      isDiskFull: fc.boolean(),
    });
    fc.assert(
      fc.property(anyFacts, (given) => {
        if (resumeDecision(given).kind !== 'resume' || !given.isActuating) return;
        expect(given.desired).toMatchObject({ isMember: true, isActive: true, experimentUid: given.experimentUid });
        expect(given.hasLeaderContact || given.hasWaited).toBe(true);
        expect(given).toMatchObject({ policy: 'resume', isOrderedToStop: false, isDiskFull: false });
      }),
      { numRuns: 1000 },
    );
  });
});
