import type { DetectionStatus } from '@lcs/contract';
import type { CameraConfig } from './camera-config.ts';

/** The facts about a camera before a still. */
export interface CameraFacts {
  readonly detection: DetectionStatus;
  /** Whether a camera is present. */
  readonly isAvailable: boolean;
  /** Base name of the program that takes stills; null: none. */
  readonly command: string | null;
  /** Its stills are simulated. */
  readonly isMock: boolean;
}

/** Takes stills of the vial. */
export interface Camera {
  /** Never rejects; within about 3 s. */
  detect(config: CameraConfig): Promise<CameraFacts>;
  /**
   * A JPEG, within 20 s. `atMs`: the moment, for cameras that write it into the picture.
   * @throws CaptureFailed, the signal's reason
   */
  capture(config: CameraConfig, atMs: number, signal: AbortSignal): Promise<Uint8Array>;
}

/** The camera returned no image. The message is a sentence for users. */
export class CaptureFailed extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CaptureFailed';
  }
}

/** Whether these bytes begin and end like a JPEG; some encoders pad with zeros. */
export function isJpeg(bytes: Uint8Array): boolean {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end -= 1;
  return end >= 4 && bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[end - 2] === 0xff && bytes[end - 1] === 0xd9;
}
