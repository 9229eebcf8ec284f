/** Where the leader serves a still of a unit. */
export const pictureUrl = (unit: string, experiment: string, imageId: string): string => {
  const [worker, where, image] = [unit, experiment, `${imageId}.jpg`].map(encodeURIComponent);
  return `/api/workers/${worker}/camera/experiments/${where}/stills/${image}`;
};
