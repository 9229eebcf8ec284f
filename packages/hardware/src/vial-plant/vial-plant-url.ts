import { programFile } from '../program-file.ts';

/** Address of the module that a board process loads to get a simulated vial; its options are `VialPlantSettings`. */
export const vialPlantModule: string = programFile('vial-plant-module', import.meta.url).href;
