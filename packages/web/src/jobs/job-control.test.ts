import type { LiveJob } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { type JobRequest, nextRequestState, type RequestEvent, type RequestState, requestText } from './job-control.ts';

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
const run = (...events: RequestEvent[]): RequestState =>
  events.reduce<RequestState>(nextRequestState, { phase: 'idle' });
const sent = (request: JobRequest): RequestEvent => ({ type: 'sent', request });
const accepted: RequestEvent = { type: 'accepted' };
const granted = (current: LiveJob | undefined, values = {}): RequestEvent => ({
  type: 'granted',
  values,
  job: current,
});
const reported = (current: LiveJob | undefined): RequestEvent => ({ type: 'reported', job: current });

describe('a request', () => {
  it.each<[JobRequest, LiveJob | undefined, LiveJob | undefined]>([
    [{ kind: 'start' }, job('init'), job('ready')],
    [{ kind: 'stop' }, job('ready'), undefined],
    [{ kind: 'pause' }, job('ready'), job('sleeping')],
    [{ kind: 'resume' }, job('sleeping'), job('ready')],
    [
      { kind: 'adjust', setting: 'target_rpm', value: 400 },
      job('ready', { target_rpm: 500 }),
      job('ready', { target_rpm: 400 }),
    ],
  ])('to %o is done when the unit reports it, not when it is accepted', (request, before, after) => {
    expect(run(sent(request), accepted, reported(before), granted(before)).phase).toBe('confirming');
    expect(run(sent(request), accepted, granted(before), reported(after)).phase).toBe('done');
    expect(run(sent(request), accepted, reported(after)).phase).toBe('done');
    expect(run(sent(request), accepted, granted(after)).phase).toBe('done');
  });

  it('is not done by a state that was reported before the leader had it', () => {
    expect(run(sent({ kind: 'stop' }), reported(undefined)).phase).toBe('sending');
  });

  it('is not said to be done any more when the state of the job contradicts it', () => {
    const started = run(sent({ kind: 'start' }), accepted, granted(job('ready')));
    expect(started.phase).toBe('done');
    expect(nextRequestState(started, reported(job('ready', { target_rpm: 500 })))).toBe(started);
    // Somebody else has stopped it.
    expect(nextRequestState(started, reported(undefined))).toEqual({ phase: 'idle' });
    const stopped = run(sent({ kind: 'stop' }), accepted, granted(undefined));
    expect(nextRequestState(stopped, reported(job('ready')))).toEqual({ phase: 'idle' });
  });

  it('that was clamped is done with the active value', () => {
    const request: JobRequest = { kind: 'adjust', setting: 'target_rpm', value: 9000 };
    const clamped = job('ready', { target_rpm: 5000 });
    expect(run(sent(request), accepted, granted(job('ready'), { target_rpm: 5000 }), reported(clamped)).phase).toBe(
      'done',
    );
  });

  it('whose value another one has replaced says so with that value, and is done when its own comes after all', () => {
    const request: JobRequest = { kind: 'adjust', setting: 'target_rpm', value: 400, before: 500 };
    const at = (target_rpm: number) => job('ready', { target_rpm });
    const values = { target_rpm: 400 };
    const overtaken = { phase: 'overtaken', value: 450 };
    const waiting = run(sent(request), accepted, granted(at(500), values), reported(at(500)));
    expect(waiting.phase).toBe('confirming');
    const replaced = nextRequestState(waiting, reported(at(450)));
    expect(replaced).toMatchObject(overtaken);
    // The page has seen the other value before it has the answer of the unit.
    expect(run(sent(request), accepted, reported(at(450)), granted(at(450), values))).toMatchObject(overtaken);
    const late = run(sent(request), accepted, granted(at(500), values), { type: 'timed-out' }, reported(at(450)));
    expect(late).toMatchObject(overtaken);
    expect(nextRequestState(replaced, reported(at(460)))).toMatchObject({ phase: 'overtaken', value: 460 });
    expect(nextRequestState(replaced, reported(at(400))).phase).toBe('done');
    expect(nextRequestState(replaced, reported(undefined))).toEqual({ phase: 'idle' });
    expect(nextRequestState(replaced, { type: 'dismissed' })).toEqual({ phase: 'idle' });
    expect(nextRequestState(replaced, sent(request)).phase).toBe('sending');
  });

  it('that failed shows the reason until it is dismissed or repeated', () => {
    const failed = run(sent({ kind: 'stop' }), accepted, { type: 'refused', refusal });
    expect(requestText(failed)).toBe('Not stopped: The unit could not be reached.');
    expect(nextRequestState(failed, reported(job('ready')))).toBe(failed);
    expect(nextRequestState(failed, { type: 'dismissed' }).phase).toBe('idle');
    expect(nextRequestState(failed, sent({ kind: 'stop' })).phase).toBe('sending');
  });

  it('whose state does not follow is not called done, and still may be', () => {
    const waiting = run(sent({ kind: 'start' }), accepted, granted(undefined), { type: 'timed-out' });
    expect(waiting.phase).toBe('unconfirmed');
    expect(nextRequestState(waiting, reported(job('ready'))).phase).toBe('done');
  });

  it('whose failure is resolved or over leaves no trace', () => {
    const refused: RequestEvent = { type: 'refused', refusal };
    expect(run(sent({ kind: 'stop' }), accepted, refused, reported(undefined))).toEqual({ phase: 'idle' });
    const pause: JobRequest = { kind: 'pause' };
    expect(run(sent(pause), accepted, refused, reported(job('ready'))).phase).toBe('failed');
    expect(run(sent(pause), accepted, refused, reported(undefined))).toEqual({ phase: 'idle' });
    const unconfirmed = run(sent(pause), accepted, granted(job('ready')), { type: 'timed-out' });
    expect(nextRequestState(unconfirmed, reported(undefined))).toEqual({ phase: 'idle' });
  });

  it('waits for the one before it, except a stop', () => {
    expect(run(sent({ kind: 'stop' }), sent({ kind: 'start' }))).toMatchObject({ request: { kind: 'stop' } });
    const paused = run(sent({ kind: 'pause' }), accepted, granted(job('ready')), sent({ kind: 'stop' }));
    expect(paused).toEqual({ phase: 'sending', request: { kind: 'stop' } });
    expect(run(sent({ kind: 'stop' }), { type: 'dismissed' }).phase).toBe('sending');
  });

  it('that is done leaves no trace after a while', () => {
    expect(run(sent({ kind: 'stop' }), accepted, reported(undefined), { type: 'timed-out' })).toEqual({
      phase: 'idle',
    });
  });
});
