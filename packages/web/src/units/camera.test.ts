import type { CameraStatus } from '@lcs/contract';
import { expect, it } from 'vitest';
import { cameraOf } from './camera-of.ts';
import { nearestStill } from './nearest-still.ts';
import { newestImageIn } from './picture-url.ts';

const error = { kind: 'connection_error', message: 'No answer.' };
const status: CameraStatus = {
  unit: 'unit1',
  detection_status: 'detected',
  runtime_available: true,
  capture_command: null,
  mock: true,
  latest_still: {
    experiment: 'demo',
    captured_at: '2026-08-18T15:36:54.612Z',
    image_id: 'a',
    capture_reason: 'manual',
  },
  auto_capture_enabled: false,
  snapshot_interval_minutes: 0,
};
const answer = (value: unknown) => ({ cameras: { unit1: { ok: true as const, unit: 'unit1', value } } });

it('a camera is shown when its unit reports it', () => {
  expect(cameraOf(answer(status), 'unit1')).toEqual(status);
});

it('no camera is shown for a unit that has none, that did not respond, or that is not in the response', () => {
  expect(cameraOf(answer({ ...status, runtime_available: false }), 'unit1')).toBe(undefined);
  expect(cameraOf(answer({ runtime_available: true, latest_still: null }), 'unit1')).toBe(undefined);
  const failed = { ok: false as const, unit: 'unit1', error, status_code: null, retryable: true };
  expect(cameraOf({ cameras: { unit1: failed } }, 'unit1')).toBe(undefined);
  expect(cameraOf({ cameras: {} }, 'constructor')).toBe(undefined);
});

it('the newest still of a unit with a camera is known without a check of the whole answer', () => {
  expect(newestImageIn(status)).toBe('a');
  for (const other of [null, {}, { ...status, runtime_available: false }, { ...status, latest_still: null }])
    expect(newestImageIn(other)).toBeNull();
});

it('the still nearest to a moment is found; without a moment the newest one', () => {
  const stills = [0, 10, 40].map((minute) => ({ captured_at: new Date(60_000 * minute).toISOString() }));
  const at = (minute: number) => nearestStill(stills, 60_000 * minute);
  expect([at(-5), at(4), at(6), at(24), at(26), at(99)]).toEqual([0, 0, 1, 1, 2, 2]);
  expect([nearestStill(stills, null), nearestStill([], null), nearestStill([], 5)]).toEqual([2, 0, 0]);
  // One each minute for half a year.
  const many = Array.from({ length: 260_000 }, (_, minute) => ({
    captured_at: new Date(60_000 * minute).toISOString(),
  }));
  expect(nearestStill(many, 60_000 * 200_000)).toBe(200_000);
});
