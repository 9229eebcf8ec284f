export * from './board-layout.ts';
export { BoardLink, type BoardLinkOptions } from './board-process/board-link.ts';
export type { BoardProcessOptions, PlantModule } from './board-process/board-process-options.ts';
export type { PlantRecord } from './board-process/plant-file.ts';
export { type BoardProcess, startBoardProcess } from './board-process/start-board-process.ts';
export { readWitness, WitnessFile } from './board-process/witness-file.ts';
export { BusError } from './buses/bus-error.ts';
export type { Buses } from './buses/buses.ts';
export { type CountingBuses, countingBuses } from './buses/counting-buses.ts';
export type { Edge, GpioBank } from './buses/gpio-bank.ts';
export { type I2cBus, i2cDevice } from './buses/i2c-bus.ts';
export type { PwmBank } from './buses/pwm-bank.ts';
export { Ads1114, type Ads1114Gain, gainFor } from './chips/ads1114.ts';
export { BoardController, type ControllerInput } from './chips/board-controller.ts';
export { Dac43608 } from './chips/dac43608.ts';
export { HallSensor } from './chips/hall-sensor.ts';
export { type LedDriver, type LedName, ledNames } from './chips/led-driver.ts';
export { PwmOutput } from './chips/pwm-output.ts';
export { Tmp1075 } from './chips/tmp1075.ts';
export { Actuators, type ActuatorsOptions, GuardRefused, type OutputLease } from './guard/actuators.ts';
export { Guard, type GuardOptions } from './guard/guard.ts';
export { GuardChild, type GuardChildOptions } from './guard/guard-child.ts';
export { type GuardLink, GuardLost, type GuardNews } from './guard/guard-link.ts';
export type { GuardProcessOptions } from './guard/guard-message.ts';
export * from './guard/guard-types.ts';
export { heatLimitsOf } from './guard/heat-limits.ts';
export type { Plant, VialView } from './simulated/plant.ts';
export { type Oversampling, SimulatedBoard, type SimulatedBoardOptions } from './simulated/simulated-board.ts';
export type { Witness, WitnessEntry } from './simulated/witness.ts';
export { jpegOf } from './simulated-camera/jpeg.ts';
export { vialPicture } from './simulated-camera/vial-picture.ts';
export { openUnitBoard } from './unit-board/open-unit-board.ts';
export type { BoardApart, BoardHere, UnitBoard, UnitBoardOptions } from './unit-board/unit-board.ts';
export {
  type PhotodiodeAngles,
  type PlantWiring,
  usualAngles,
  VialPlant,
  type VialPlantOptions,
  type VialPlantState,
} from './vial-plant/vial-plant.ts';
export { UnknownSimulation, type VialPlantSettings, vialPlantOf } from './vial-plant/vial-plant-settings.ts';
export { vialPlantModule } from './vial-plant/vial-plant-url.ts';
