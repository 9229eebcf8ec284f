import { createHash } from 'node:crypto';
import type { UnitUnderTest } from '@lcs/testkit';
import type { Camera } from '@lcs/unit';
import { whileTimePasses } from './calibration-fixtures.ts';

/** A configuration file in the format of the leader's document. */
export function configFile(section: Readonly<Record<string, string>> = {}, version = 2) {
  const keys = Object.entries({ enabled: '1', ...section }).map(([key, value]) => `${key}=${value}`);
  const text = `[camera]\n${keys.join('\n')}\n`;
  return { version, sha256: createHash('sha256').update(text).digest('hex'), text };
}

/** The section `[camera]`, as a change of the document. */
export const cameraConfig = (section: Readonly<Record<string, string>> = {}) => ({
  config: { shared: configFile(section), own: { version: 1, sha256: configFile.emptySha256, text: '' } },
});
configFile.emptySha256 = createHash('sha256').update('').digest('hex');

/** The header of a small JPEG. */
export const tinyJpeg = Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3, 4, 0xff, 0xd9]);

/** A camera that a test controls. */
export function testCamera(capture: Camera['capture'] = async () => tinyJpeg) {
  const facts = {
    detection: 'detected' as 'detected' | 'configured_camera_not_detected' | 'unknown',
    isAvailable: true,
    command: 'rpicam-still',
    isMock: false,
  };
  const camera: Camera = { detect: async () => facts, capture };
  return { camera, facts };
}

/** Takes a still; resolves when its task has ended. */
export async function takenStill(unit: UnitUnderTest, experiment: string) {
  const answer = await unit.api.call('takeUnitStill', { params: { experiment } });
  return whileTimePasses(unit, unit.finished(answer.expect(202)));
}
