import { describeStops } from './stop-cases.ts';

describeStops('locked');
