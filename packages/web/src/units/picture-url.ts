import { isObject } from '@lcs/contract';

/** Where the leader serves a still of a unit; `small`: the picture for a tile that is stored in it. */
export const pictureUrl = (unit: string, experiment: string, imageId: string, size?: 'small'): string => {
  const [worker, where, image] = [unit, experiment, `${imageId}.jpg`].map(encodeURIComponent);
  return `/api/workers/${worker}/camera/experiments/${where}/stills/${image}${size === undefined ? '' : `?size=${size}`}`;
};

/**
 * The newest still in what a unit reports of its camera; null: none. It reads one field: what checks whole answers is not loaded with the first
 * page.
 */
export function newestImageIn(camera: unknown): string | null {
  if (!isObject(camera) || camera.runtime_available !== true || !isObject(camera.latest_still)) return null;
  const { image_id } = camera.latest_still;
  return typeof image_id === 'string' ? image_id : null;
}
