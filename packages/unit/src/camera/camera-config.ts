import type { IniView } from '@lcs/platform';
import { JobConfig, JobConfigError } from '../jobs/shared/job-config.ts';

/** What `[camera]` says, with its defaults. */
export interface CameraConfig {
  readonly isEnabled: boolean;
  /** 0: none by itself. */
  readonly intervalMinutes: number;
  readonly backend: 'rpicam' | 'v4l2';
  readonly cameraIndex: number;
  readonly devicePath: string;
  /** %. 0: no light. */
  readonly irPercent: number;
  /** Scheduled stills of one experiment. */
  readonly mostStills: number;
  readonly mostBytes: number;
}

/** A value that makes no sense counts as none: a save with one is refused, and a still is no reason to stop a unit. */
function orUsual<Value>(read: () => Value, usual: Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof JobConfigError) return usual;
    throw error;
  }
}

export function cameraConfig(view: IniView): CameraConfig {
  const section = new JobConfig(view, 'camera');
  const number = (key: string, usual: number, min: number, max = Number.MAX_SAFE_INTEGER): number =>
    orUsual(() => section.number(key, usual, { min, max }), usual);
  return {
    isEnabled: orUsual(() => section.boolean('enabled', false), false),
    intervalMinutes: Math.floor(number('snapshot_interval_minutes', 5, 0)),
    backend: orUsual(() => section.choice('capture_backend', ['rpicam', 'v4l2'], 'rpicam'), 'rpicam'),
    cameraIndex: Math.floor(number('camera_index', 0, 0)),
    devicePath: section.text('device_path') ?? '/dev/video0',
    irPercent: number('ir_led_intensity', 80, 0, 100),
    mostStills: Math.floor(number('max_stills', 500, 3)),
    mostBytes: Math.floor(1e6 * number('max_mb', 2_048, 1)),
  };
}
