import { expect, it } from 'vitest';
import { seenCamera } from './seen-camera.ts';

const error = { kind: 'connection_error', message: 'No answer.' };
const still = { experiment: 'demo', captured_at: '2026-08-18T15:36:54.612Z', image_id: 'a', capture_reason: 'manual' };
const answer = (value: unknown) => ({ cameras: { unit1: { ok: true as const, unit: 'unit1', value } } });

it('is there when its unit says so, with its newest still', () => {
  const seen = seenCamera(answer({ runtime_available: true, latest_still: still }), 'unit1');
  expect(seen).toEqual({ still: { imageId: 'a', capturedAt: still.captured_at } });
  expect(seenCamera(answer({ runtime_available: true, latest_still: null }), 'unit1')).toEqual({ still: undefined });
});

it('is not there without a camera, without an answer, and for units that were not asked', () => {
  expect(seenCamera(answer({ runtime_available: false, latest_still: still }), 'unit1')).toBe(undefined);
  expect(seenCamera(answer(7), 'unit1')).toBe(undefined);
  const failed = { ok: false as const, unit: 'unit1', error, status_code: null, retryable: true };
  expect(seenCamera({ cameras: { unit1: failed } }, 'unit1')).toBe(undefined);
  expect(seenCamera({ cameras: {} }, 'constructor')).toBe(undefined);
});
