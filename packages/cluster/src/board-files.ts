import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { normaliseModelName } from '@lcs/domain';
import {
  boardVersions,
  type ConverterInput,
  type LayoutChange,
  type LayoutChanges,
  type Photodiodes,
  type PwmChannel,
  pwmChannels,
} from '@lcs/hardware';
import { DescriptorFileError, descriptorReader } from '@lcs/node';
import { errnoOf, reasonOf, StartupError } from '@lcs/platform';
import { type Static, type TSchema, Type } from 'typebox';

const closed = <Properties extends Record<string, TSchema>>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false });

/** Addresses below and above are reserved by the I2C specification (UM10204, table 4). */
const Address = Type.Integer({ minimum: 0x08, maximum: 0x77 });
/** GPIO of the header. */
const Line = Type.Integer({ minimum: 0, maximum: 27 });
const Converter = closed({
  chip: Type.Union([Type.Literal('ads1114'), Type.Literal('ads1115'), Type.Literal('controller')]),
  address: Address,
  input: Type.Optional(Type.Integer({ minimum: 0, maximum: 3 })),
});
const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema);

const AdcFile = closed({
  pd1: optional(Converter),
  pd2: optional(Converter),
  pd3: optional(Converter),
  pd4: optional(Converter),
});
const DacFile = closed({ chip: Type.Union([Type.Literal('controller'), Type.Literal('dac43608')]), address: Address });
const TempFile = closed({ address: Address });
const GpioFile = closed({ hall: optional(Line), status_light: optional(Line), button: optional(Line) });
const PwmFile = closed({
  1: optional(Line),
  2: optional(Line),
  3: optional(Line),
  4: optional(Line),
  5: optional(Line),
});

function photodiodesOf(file: Static<typeof AdcFile>): Photodiodes {
  const places: Record<number, ConverterInput> = {};
  for (const [index, converter] of [file.pd1, file.pd2, file.pd3, file.pd4].entries()) {
    if (converter !== undefined) places[index + 1] = { ...converter, input: converter.input ?? 0 };
  }
  return places;
}

function linesOf(file: Static<typeof PwmFile>): Partial<Record<PwmChannel, number>> {
  return Object.fromEntries(
    pwmChannels.flatMap((channel) => (file[channel] === undefined ? [] : [[channel, file[channel]]])),
  );
}

type Reader = (text: string) => LayoutChange;

const adc: Reader = descriptorReader(AdcFile, (file) => ({ photodiodes: photodiodesOf(file) }));

const readers: Readonly<Record<string, Reader>> = {
  adc,
  dac: descriptorReader(DacFile, (ledDriver) => ({ ledDriver })),
  temp: descriptorReader(TempFile, ({ address }) => ({ temperatureAddress: address })),
  gpio: descriptorReader(GpioFile, ({ hall, status_light, button }) => ({
    ...(hall !== undefined && { hallLine: hall }),
    ...(status_light !== undefined && { statusLightLine: status_light }),
    ...(button !== undefined && { buttonLine: button }),
  })),
  pwm: descriptorReader(PwmFile, (file) => ({ pwmLines: linesOf(file) })),
};

/**
 * Overrides of boards and models from the files below `hardware/` of a data folder. An invalid file prevents the start of the
 * unit: with wrong pins it could heat where it should pump. @throws StartupError
 */
export async function readBoardFiles(dataFolder: string): Promise<LayoutChanges> {
  const root = join(dataFolder, 'hardware');
  const boards: Record<string, LayoutChange> = {};
  for (const version of await names(join(root, 'hats'))) {
    if (!boardVersions.some((known) => known === version))
      throw new StartupError(
        `hardware/hats/${version}: unknown board version; known versions: ${boardVersions.join(', ')}.`,
      );
    boards[version] = await changeIn(root, `hats/${version}`, readers);
  }
  const models: Record<string, Pick<LayoutChange, 'photodiodes'>> = {};
  for (const model of await names(join(root, 'models'))) {
    for (const version of await names(join(root, 'models', model))) {
      models[`${normaliseModelName(model)}/${version}`] = await changeIn(root, `models/${model}/${version}`, { adc });
    }
  }
  return { boards, models };
}

async function changeIn(root: string, folder: string, known: Readonly<Record<string, Reader>>): Promise<LayoutChange> {
  let change: LayoutChange = {};
  for (const file of await names(join(root, folder))) {
    const [, kind = '', ending] = /^([^.]+)\.(ya?ml)$/i.exec(file) ?? [];
    if (ending === undefined) continue;
    const path = `hardware/${folder}/${file}`;
    const read = Object.hasOwn(known, kind) ? known[kind] : undefined;
    if (read === undefined)
      throw new StartupError(`${path}: ${kind} is not a known file; valid names: ${Object.keys(known).join(', ')}.`);
    change = { ...change, ...(await readOne(join(root, folder, file), path, read)) };
  }
  return change;
}

async function readOne(file: string, path: string, read: Reader): Promise<LayoutChange> {
  try {
    return read(await readFile(file, 'utf8'));
  } catch (error) {
    if (error instanceof DescriptorFileError)
      throw new StartupError(`${path}${error.line === null ? '' : `, line ${error.line}`}: ${error.message}`);
    if (errnoOf(error) === undefined) throw error;
    throw new StartupError(`${path} cannot be read: ${reasonOf(error)}.`);
  }
}

/** The names in a folder, in order; none if the folder does not exist. */
async function names(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => !name.startsWith('.')).sort();
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw new StartupError(`Cannot read the files of the board: ${reasonOf(error)}.`);
  }
}
