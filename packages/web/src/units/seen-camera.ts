import type { CamerasOfExperiment } from '@lcs/contract';

/** What is shown of a camera. */
export interface SeenCamera {
  /** The newest still; undefined: there is none yet. */
  readonly still: { readonly imageId: string; readonly capturedAt: string } | undefined;
}

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

/** The camera of a unit; undefined when it has none, or did not answer. */
export function seenCamera({ cameras }: CamerasOfExperiment, unit: string): SeenCamera | undefined {
  const outcome = Object.hasOwn(cameras, unit) ? cameras[unit] : undefined;
  if (!outcome?.ok || field(outcome.value, 'runtime_available') !== true) return undefined;
  const latest = field(outcome.value, 'latest_still');
  const imageId = field(latest, 'image_id');
  const capturedAt = field(latest, 'captured_at');
  const isStill = typeof imageId === 'string' && typeof capturedAt === 'string';
  return { still: isStill ? { imageId, capturedAt } : undefined };
}
