import type { OpticalReading } from '@lcs/domain';
import { BusTopic } from '@lcs/node';

/** The only key of the topic. */
export const opticalReadingKey = 'od_reading';

export type OpticalReadings = BusTopic<OpticalReading>;
export const opticalReadings = (): OpticalReadings => new BusTopic<OpticalReading>();
