import { CameraStatus, type CamerasOfExperiment, hasShape, ownValue } from '@lcs/contract';

/** The camera of a unit; undefined when it has none, or did not answer. */
export function cameraOf({ cameras }: CamerasOfExperiment, unit: string): CameraStatus | undefined {
  const outcome = ownValue(cameras, unit);
  if (!outcome?.ok || !hasShape(CameraStatus, outcome.value)) return undefined;
  return outcome.value.runtime_available ? outcome.value : undefined;
}
