import { type BoardLayout, board10, board12, type Photodiodes } from './board-layout.ts';

/** A reactor by its names, ours. */
export interface ReactorModel {
  readonly name: string;
  readonly version: string;
}

/** Overrides of a board from files; for a model only the photodiodes. They take precedence over the built-in values. */
export interface LayoutChange {
  readonly photodiodes?: Photodiodes;
  readonly ledDriver?: BoardLayout['ledDriver'];
  readonly temperatureAddress?: number;
  readonly hallLine?: number;
  readonly statusLightLine?: number;
  readonly buttonLine?: number;
  readonly pwmLines?: Partial<BoardLayout['pwmLines']>;
}

/** Overrides from the files of a unit, by version of the board and by `<model>/<version>`. */
export interface LayoutChanges {
  readonly boards: Readonly<Record<string, LayoutChange>>;
  readonly models: Readonly<Record<string, Pick<LayoutChange, 'photodiodes'>>>;
}

export const noLayoutChanges: LayoutChanges = { boards: {}, models: {} };

/** Where the controller of boards 1.1 and 1.2 sees the photodiodes of the first optics. */
const onController: Photodiodes = {
  1: { chip: 'controller', address: 0x2c, input: 2 },
  2: { chip: 'controller', address: 0x2c, input: 3 },
};

/** Optics of version 1.5: a converter beside each photodiode. The 20 ml reactor exists in two variants. */
const opticsOf: Readonly<Record<string, { readonly first: Photodiodes; readonly others?: readonly Photodiodes[] }>> = {
  reactor_40ml: { first: { 1: 0x48, 2: 0x49 } },
  reactor_20ml: { first: { 1: 0x49, 2: 0x4a }, others: [{ 1: 0x48, 2: 0x49 }] },
  reactor_20ml_XR: { first: { 1: 0x49, 2: 0x4a, 3: 0x4b, 4: 0x48 } },
  reactor_40ml_XR: { first: { 1: 0x49, 2: 0x4a, 3: 0x4b, 4: 0x48 } },
};

const firstOpticsVersions: ReadonlySet<string> = new Set(['1.0', '1.1']);

/** The default for a unit without a model. */
const anyModel: ReactorModel = { name: 'reactor_40ml', version: '1.5' };

/** Versions of boards that are known. */
export const boardVersions = ['1.0', '1.1', '1.2'] as const;
export type BoardVersion = (typeof boardVersions)[number];

export const isBoardVersion = (text: string): text is BoardVersion => boardVersions.some((known) => known === text);

/** Whether it is known where this model has its photodiodes. */
const knowsOptics = ({ name, version }: ReactorModel, { models }: LayoutChanges): boolean =>
  models[`${name}/${version}`]?.photodiodes !== undefined ||
  (Object.hasOwn(opticsOf, name) && (version === '1.5' || firstOpticsVersions.has(version)));

function withOptics(board: BoardLayout, isFirstBoard: boolean, { name, version }: ReactorModel): BoardLayout {
  if (firstOpticsVersions.has(version)) return isFirstBoard ? board : { ...board, photodiodes: onController };
  const optics = opticsOf[name] ?? opticsOf[anyModel.name];
  if (optics === undefined) return board;
  if (!isFirstBoard)
    return { ...board, photodiodes: optics.first, ...(optics.others && { otherPhotodiodes: optics.others }) };
  // Its own chips have the addresses 0x48 and 0x49 that these optics need.
  const reason = `The optics of ${name} ${version} need a board of version 1.1 or later; this one is of version 1.0.`;
  return { ...board, photodiodes: {}, noPhotodiodes: reason };
}

function changed(layout: BoardLayout, change: LayoutChange | undefined): BoardLayout {
  if (change === undefined) return layout;
  const { photodiodes, pwmLines, ...rest } = change;
  const lines = { ...layout.pwmLines, ...pwmLines };
  if (photodiodes === undefined) return { ...layout, ...rest, pwmLines: lines };
  const { otherPhotodiodes: _, noPhotodiodes: __, ...others } = layout;
  return { ...others, ...rest, pwmLines: lines, photodiodes };
}

/**
 * The layout of a board under a reactor of this model; undefined: the unit has no model. Overrides for the
 * model take precedence over those for the board, and those over the built-in layout.
 */
export function layoutOf(
  version: BoardVersion,
  model: ReactorModel | undefined,
  changes: LayoutChanges = noLayoutChanges,
): BoardLayout {
  const isFirst = version === '1.0';
  const reactor = model ?? anyModel;
  const board = changed(isFirst ? board10 : board12, changes.boards[version]);
  const isOwnOptics = changes.boards[version]?.photodiodes !== undefined;
  const layout = isOwnOptics ? board : withOptics(board, isFirst, reactor);
  const isAssumed = !isOwnOptics && !knowsOptics(reactor, changes);
  const under = changed(layout, changes.models[`${reactor.name}/${reactor.version}`]);
  return isAssumed ? { ...under, isAssumed } : under;
}
