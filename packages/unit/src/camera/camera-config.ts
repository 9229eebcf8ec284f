import { cameraSettings, settingOrDefault } from '@lcs/domain';
import type { IniView } from '@lcs/platform';

/** The section `[camera]`. */
export interface CameraConfig {
  readonly isEnabled: boolean;
  /** 0: no scheduled stills. */
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

/** An invalid value counts as the default: saving one is rejected, and a still must not stop a unit. */
export const cameraConfig = (config: IniView): CameraConfig => ({
  isEnabled: settingOrDefault(config, cameraSettings.isEnabled),
  intervalMinutes: settingOrDefault(config, cameraSettings.interval),
  backend: settingOrDefault(config, cameraSettings.backend),
  cameraIndex: settingOrDefault(config, cameraSettings.index),
  devicePath: settingOrDefault(config, cameraSettings.devicePath),
  irPercent: settingOrDefault(config, cameraSettings.irLedIntensity),
  mostStills: settingOrDefault(config, cameraSettings.maxStills),
  mostBytes: Math.floor(1e6 * settingOrDefault(config, cameraSettings.maxSize)),
});
