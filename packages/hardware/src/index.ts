export * from './board-layout.ts';
export { BoardLink, type BoardLinkOptions } from './board-process/board-link.ts';
export type { BoardProcessOptions, PlantModule } from './board-process/board-process-options.ts';
export type { PlantRecord } from './board-process/plant-file.ts';
export { type BoardProcess, startBoardProcess } from './board-process/start-board-process.ts';
export { parseWitness, readWitness, WitnessFile } from './board-process/witness-file.ts';
export * from './board-versions.ts';
export { BusError, busHangs } from './buses/bus-error.ts';
export type { Buses } from './buses/buses.ts';
export { type CountingBuses, countingBuses } from './buses/counting-buses.ts';
export type { Edge, GpioBank } from './buses/gpio-bank.ts';
export { type I2cBus, i2cDevice } from './buses/i2c-bus.ts';
export type { PwmBank } from './buses/pwm-bank.ts';
export { Ads1114, type Ads1114Gain, ads1114Register, gainFor } from './chips/ads1114.ts';
export { Ads1115, type Ads1115Input } from './chips/ads1115.ts';
export { BoardController, type ControllerInput, controllerRegister } from './chips/board-controller.ts';
export { ControllerChannel } from './chips/controller-channel.ts';
export { Dac43608, dac43608Register } from './chips/dac43608.ts';
export { HallSensor } from './chips/hall-sensor.ts';
export { type LedDriver, type LedName, ledNames } from './chips/led-driver.ts';
export { PwmOutput } from './chips/pwm-output.ts';
export { Tmp1075, tmp1075Register } from './chips/tmp1075.ts';
export { Actuators, type ActuatorsOptions, GuardRefused, type OutputLease } from './guard/actuators.ts';
export { Guard, type GuardOptions } from './guard/guard.ts';
export { GuardChild, type GuardChildOptions } from './guard/guard-child.ts';
export { type GuardEvent, type GuardLink, GuardLost } from './guard/guard-link.ts';
export type { GuardProcessOptions } from './guard/guard-message.ts';
export * from './guard/guard-types.ts';
export { heatLimitsOf } from './guard/heat-limits.ts';
export { makeSafeWithin, type UnsafeOutput } from './guard/make-safe.ts';
export { findHat, type Hat } from './linux/hat.ts';
export { type KernelFiles, kernelFiles, readText } from './linux/kernel-files.ts';
export { LinuxBuses, type LinuxPlaces } from './linux/linux-buses.ts';
export { findOutputDrives, type OutputDrive } from './linux/output-drives.ts';
export { type BusFault, FaultyBuses } from './simulated/faulty-buses.ts';
export type { Plant } from './simulated/plant.ts';
export { type Oversampling, SimulatedBoard, type SimulatedBoardOptions } from './simulated/simulated-board.ts';
export type { Witness, WitnessEntry } from './simulated/witness.ts';
export { openUnitBoard } from './unit-board/open-unit-board.ts';
export type { BoardApart, BoardHere, BoardOnLinux, UnitBoard, UnitBoardOptions } from './unit-board/unit-board.ts';
export {
  defaultAngles,
  type PhotodiodeAngles,
  type PlantWiring,
  VialPlant,
  type VialPlantOptions,
  type VialPlantState,
} from './vial-plant/vial-plant.ts';
export { UnknownSimulation, type VialPlantSettings, vialPlantOf } from './vial-plant/vial-plant-settings.ts';
export { vialPlantModule } from './vial-plant/vial-plant-url.ts';
