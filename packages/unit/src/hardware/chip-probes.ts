import {
  ads1114Register,
  type BoardLayout,
  type ConverterInput,
  controllerRegister,
  dac43608Register,
  type I2cBus,
  tmp1075Register,
} from '@lcs/hardware';

/** Probes of chips that read the configuration or the firmware version, so that no reading is taken from a job. */
export interface ChipProbe {
  readonly address: number;
  readonly register: number;
}

export const converterProbe = ({ chip, address }: ConverterInput): ChipProbe => ({
  address,
  register: chip === 'controller' ? controllerRegister.version : ads1114Register.config,
});

export const ledDriverProbe = ({ ledDriver: { chip, address } }: BoardLayout): ChipProbe => ({
  address,
  register: chip === 'controller' ? controllerRegister.version : dac43608Register.config,
});

export const heaterBoardProbe = ({ temperatureAddress }: BoardLayout): ChipProbe => ({
  address: temperatureAddress,
  register: tmp1075Register.config,
});

/** @throws BusError */
export async function probe(i2c: I2cBus, { address, register }: ChipProbe): Promise<void> {
  await i2c.readRegister(address, register, 2);
}
