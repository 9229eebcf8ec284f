/** Points of the curves of a rehearsal. */
export const pointsOfCourse = 240;

/** The hours of the points. */
export const hoursOfCourse = (hours: number): readonly number[] =>
  Array.from({ length: pointsOfCourse }, (_, index) => ((index + 1) * hours) / pointsOfCourse);
