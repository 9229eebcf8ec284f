import type { DetectionStatus } from '@lcs/contract';
import type { CameraConfig } from './camera-config.ts';

/** What is known of a camera before it takes a picture. */
export interface CameraFacts {
  readonly detection: DetectionStatus;
  /** Something is there that can take a picture. */
  readonly isAvailable: boolean;
  /** Base name of the program that takes pictures; null: it is none. */
  readonly command: string | null;
  /** Its pictures are drawn. */
  readonly isMock: boolean;
}

/** Takes pictures of the vial. */
export interface Camera {
  /** Never rejects; within about 3 s. */
  detect(config: CameraConfig): Promise<CameraFacts>;
  /**
   * A JPEG, within 20 s. `atMs`: the moment, for cameras that write it into the picture.
   * @throws CaptureFailed, the signal's reason
   */
  capture(config: CameraConfig, atMs: number, signal: AbortSignal): Promise<Uint8Array>;
}

/** No picture came. The message is a sentence for people. */
export class CaptureFailed extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CaptureFailed';
  }
}

/** Whether these bytes begin and end as a JPEG does; some encoders fill up with zeros. */
export function isJpeg(bytes: Uint8Array): boolean {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end -= 1;
  return end >= 4 && bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[end - 2] === 0xff && bytes[end - 1] === 0xd9;
}
