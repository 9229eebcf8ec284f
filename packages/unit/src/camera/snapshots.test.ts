import { describe, expect, it } from 'vitest';
import { testUnit } from '../testing/test-unit.ts';
import { cameraConfig } from './camera-config.ts';
import { simulatedCamera } from './simulated-camera.ts';
import { Snapshots, snapshotJob } from './snapshots.ts';

describe('the job that takes a still', () => {
  it('does not start for a request that has ended', async () => {
    await using unit = await testUnit({
      alsoJobs: ({ infraredLight }, { runtime }) => [
        new Snapshots({
          camera: simulatedCamera(async () => new Uint8Array()),
          config: () => cameraConfig({}),
          light: infraredLight,
          runtime,
          newId: () => 'still-1',
        }).definition,
      ],
    });
    const start = unit.runtime.runOwn(snapshotJob, { options: { ticket: 'still-0' } });
    await expect(start).rejects.toMatchObject({ code: 'capture_failed' });
    expect(unit.runtime.running()).toEqual([]);
  });
});
