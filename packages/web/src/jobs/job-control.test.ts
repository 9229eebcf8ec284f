import type { LiveJob } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { type Control, type ControlEvent, controlText, nextControl, type Wish } from './job-control.ts';

const job = (state: LiveJob['state'], settings: LiveJob['settings'] = {}): LiveJob => ({
  reactor_unit: 'u1',
  experiment: 'a',
  job_name: 'stirring',
  job_id: 1,
  state,
  since: '2026-05-02T09:14:03.120Z',
  reason: null,
  settings,
});
const refusal = { error: 'The unit could not be reached.', cause: 'No route.', remediation: 'Switch it on.' };
const run = (...events: ControlEvent[]): Control => events.reduce<Control>(nextControl, { phase: 'idle' });
const sent = (wish: Wish): ControlEvent => ({ type: 'sent', wish });
const accepted: ControlEvent = { type: 'accepted' };
const granted = (current: LiveJob | undefined, values = {}): ControlEvent => ({
  type: 'granted',
  values,
  job: current,
});
const heard = (current: LiveJob | undefined): ControlEvent => ({ type: 'heard', job: current });

describe('a wish', () => {
  it.each<[Wish, LiveJob | undefined, LiveJob | undefined]>([
    [{ kind: 'start' }, job('init'), job('ready')],
    [{ kind: 'stop' }, job('ready'), undefined],
    [{ kind: 'pause' }, job('ready'), job('sleeping')],
    [{ kind: 'resume' }, job('sleeping'), job('ready')],
    [
      { kind: 'adjust', setting: 'target_rpm', value: 400 },
      job('ready', { target_rpm: 500 }),
      job('ready', { target_rpm: 400 }),
    ],
  ])('to %o is done when the unit has said so, not when it was accepted', (wish, before, after) => {
    expect(run(sent(wish), accepted, heard(before), granted(before)).phase).toBe('confirming');
    expect(run(sent(wish), accepted, granted(before), heard(after)).phase).toBe('done');
    expect(run(sent(wish), accepted, heard(after)).phase).toBe('done');
    expect(run(sent(wish), accepted, granted(after)).phase).toBe('done');
  });

  it('is not taken as done by what was heard before the leader had it', () => {
    expect(run(sent({ kind: 'stop' }), heard(undefined)).phase).toBe('sending');
  });

  it('that was clamped is done with the value in force', () => {
    const wish: Wish = { kind: 'adjust', setting: 'target_rpm', value: 9000 };
    const clamped = job('ready', { target_rpm: 5000 });
    expect(run(sent(wish), accepted, granted(job('ready'), { target_rpm: 5000 }), heard(clamped)).phase).toBe('done');
  });

  it('that failed says why, until it is put away or tried again', () => {
    const failed = run(sent({ kind: 'stop' }), accepted, { type: 'refused', refusal });
    expect(controlText(failed)).toBe('Not stopped: The unit could not be reached.');
    expect(nextControl(failed, heard(job('ready')))).toBe(failed);
    expect(nextControl(failed, { type: 'put away' }).phase).toBe('idle');
    expect(nextControl(failed, sent({ kind: 'stop' })).phase).toBe('sending');
  });

  it('whose state does not follow is not called done, and still may be', () => {
    const waiting = run(sent({ kind: 'start' }), accepted, granted(undefined), { type: 'waited' });
    expect(waiting.phase).toBe('unconfirmed');
    expect(nextControl(waiting, heard(job('ready'))).phase).toBe('done');
  });

  it('waits for the one before it', () => {
    expect(run(sent({ kind: 'stop' }), sent({ kind: 'start' }))).toMatchObject({ wish: { kind: 'stop' } });
    expect(run(sent({ kind: 'stop' }), { type: 'put away' }).phase).toBe('sending');
  });

  it('that is done leaves no trace after a while', () => {
    expect(run(sent({ kind: 'stop' }), accepted, heard(undefined), { type: 'waited' })).toEqual({ phase: 'idle' });
  });
});
