import type { Clock } from '@lcs/platform';
import { board12 } from '../board-layout.ts';
import { BoardLink } from '../board-process/board-link.ts';
import { Actuators } from '../guard/actuators.ts';
import { Guard } from '../guard/guard.ts';
import { GuardChild } from '../guard/guard-child.ts';
import type { GuardEvent } from '../guard/guard-link.ts';
import type { GuardProcessOptions } from '../guard/guard-message.ts';
import { defaultWiring } from '../guard/guard-types.ts';
import { Watchdog } from '../guard/watchdog.ts';
import { LinuxBuses } from '../linux/linux-buses.ts';
import { SimulatedBoard } from '../simulated/simulated-board.ts';
import { stillOf } from '../simulated-camera/still.ts';
import { vialPlantOf } from '../vial-plant/vial-plant-settings.ts';
import { GuardEventBus } from './guard-event-bus.ts';
import { OwnBoardProcess } from './own-board-process.ts';
import type { BoardApart, BoardHere, BoardOnLinux, UnitBoard, UnitBoardOptions } from './unit-board.ts';

/** Composes a unit's board, guard and actuators; nothing runs before the services are started. @throws UnknownSimulation */
export function openUnitBoard(options: UnitBoardOptions): UnitBoard {
  switch (options.kind) {
    case 'simulated_here':
      return boardHere(options);
    case 'simulated_process':
      return boardApart(options);
    case 'linux':
      return boardOnLinux(options);
  }
}

function boardHere(options: BoardHere): UnitBoard {
  const { clock, seed, vial, layout = board12, wiring = defaultWiring } = options;
  const plant = vialPlantOf(vial, seed, { layout, ...(options.plantWiring && { wiring: options.plantWiring }) });
  const board = new SimulatedBoard({
    layout,
    plant,
    clock,
    seed,
    ...(options.oversampling && { oversampling: options.oversampling }),
    ...(options.witness && { witness: options.witness }),
  });
  const buses = options.between?.(board) ?? board;
  const events = new GuardEventBus();
  // The guard does not monitor the node: in the same process it would stop with it.
  const guard = new Guard({
    buses,
    layout,
    wiring,
    clock,
    watch: undefined,
    ...(options.heatCheckMs !== undefined && { heatCheckMs: options.heatCheckMs }),
    notify: (notice) => events.publish(notice),
  });
  const actuators = new Actuators({ guard, wire: undefined });
  events.connect(actuators);
  return {
    buses,
    actuators,
    layout,
    layoutFor: () => layout,
    wiring,
    parts: [guard, actuators],
    isSimulated: true,
    onGuardEvent: (listener) => events.subscribe(listener),
    still: async (atMs) => {
      const view = board.view();
      return view === undefined ? undefined : stillOf(view, atMs);
    },
    plant,
    saveState: () => plant.state(clock.monotonic()),
  };
}

function boardApart(options: BoardApart): UnitBoard {
  const { socketPath, watchdogPath, wire, own, layout = board12, wiring = defaultWiring } = options;
  const link = new BoardLink({ socketPath, wire });
  const process: GuardProcessOptions = { board: { kind: 'simulated', socketPath }, layout, wiring };
  const { events, watchdog, guard, actuators } = guardApart({ process, watchdogPath, wire });
  const board = own === undefined ? [] : [new OwnBoardProcess({ socketPath, layout, wire, ...own })];
  return {
    buses: link,
    actuators,
    layout,
    layoutFor: () => layout,
    wiring,
    parts: [...board, link, watchdog, guard, actuators],
    isSimulated: true,
    still: (atMs) => link.still(atMs),
    onGuardEvent: (listener) => events.subscribe(listener),
  };
}

/** The node reads its sensors, the guard drives the outputs: each opens the buses, and the kernel serialises the transactions. */
function boardOnLinux(options: BoardOnLinux): UnitBoard {
  const { places, watchdogPath, wire, layoutFor, wiring = defaultWiring, switchOffProgram } = options;
  const layout = layoutFor(undefined);
  const buses = new LinuxBuses({ places, lines: layout.pwmLines, wire });
  const process: GuardProcessOptions = { board: { kind: 'linux', places }, layout, wiring };
  const { events, watchdog, guard, actuators } = guardApart({ process, watchdogPath, wire, switchOffProgram });
  return {
    buses,
    actuators,
    layout,
    layoutFor,
    wiring,
    parts: [buses, watchdog, guard, actuators],
    isSimulated: false,
    onGuardEvent: (listener) => events.subscribe(listener),
  };
}

interface GuardApart {
  readonly process: GuardProcessOptions;
  readonly watchdogPath: string;
  readonly wire: Clock;
  readonly switchOffProgram?: string | undefined;
}

/** A guard in its own process, the watchdog process, and the node's client of the guard. */
function guardApart({ process, watchdogPath: pidPath, wire, switchOffProgram }: GuardApart) {
  const events = new GuardEventBus();
  const guard = new GuardChild({
    process,
    wire,
    onGuardEvent: (event: GuardEvent) => events.publish(event),
    ...(switchOffProgram === undefined ? {} : { switchOffProgram }),
  });
  const watchdog = new Watchdog({
    process,
    pidPath,
    wire,
    isSafe: () => guard.endedSafely,
    onLost: (reason) => events.publish({ what: 'watchdog_lost', reason }),
  });
  const actuators = new Actuators({ guard, wire });
  events.connect(actuators);
  return { events, watchdog, guard, actuators };
}
