import type { Cancel, Clock } from '@lcs/platform';
import { BusError } from '../buses/bus-error.ts';
import type { Bias, Edge, GpioBank } from '../buses/gpio-bank.ts';
import { edgeUs, findGpioTools, type GpioTools, GpioUnusable, holdArgs, isBanner, monitorArgs } from './gpio-tools.ts';
import { type RunningTool, ToolMissing, type ToolOutput, type Tools } from './tools.ts';

export interface LinuxGpioBankOptions {
  readonly tools: Tools;
  readonly wire: Clock;
  /** Microseconds of the kernel's monotonic clock, which stamps the edges. */
  readonly kernelUs: () => number;
}

/** Version 1 of gpiomon prints nothing when it is ready. Longer than a small computer needs to start it; chosen. */
const quietStartMs = 100;
/** Longest wait for a tool to become ready. */
const startWithinMs = 2000;
/** The monitor of a line runs for this long after its last read. */
const keepMs = 60_000;
/** A tool that cannot drive its line fails within this time. */
const refusedWithinMs = 50;
/** A stirrer makes 55 edges a second at most; they are read at least once a minute. */
const mostEdges = 5000;

interface Monitor {
  readonly edge: Edge;
  readonly tool: RunningTool;
  readonly ready: Promise<void>;
  /** Why it ended by itself. */
  failure: string | undefined;
  edges: number[];
  /** Edges before this time are discarded; undefined while no one watches the line. */
  sinceUs: number | undefined;
  cancelEnd: Cancel;
}

const endOf = ({ code, stderr }: ToolOutput, program: string): string =>
  stderr.split('\n').at(-1) || `${program} ended with ${code ?? 'a signal'}`;

/** Lines of the header through the tools of libgpiod: the kernel stamps each edge, a child process delivers it. */
export class LinuxGpioBank implements GpioBank {
  readonly #options: LinuxGpioBankOptions;
  #tools: Promise<GpioTools> | undefined;
  readonly #monitors = new Map<number, Monitor>();
  readonly #held = new Map<number, RunningTool>();

  constructor(options: LinuxGpioBankOptions) {
    this.#options = options;
  }

  async watch(line: number, edge: Edge, bias: Bias = 'pull-up'): Promise<void> {
    let monitor = this.#monitors.get(line);
    monitor?.cancelEnd();
    if (monitor !== undefined && (monitor.failure !== undefined || monitor.edge !== edge)) {
      monitor.tool.stop();
      monitor = undefined;
    }
    monitor ??= await this.#listen(line, edge, bias);
    await monitor.ready;
    this.#mustRun(line, 'watch', monitor);
    monitor.edges = [];
    monitor.sinceUs = this.#options.kernelUs();
  }

  async takeEdges(line: number): Promise<readonly number[]> {
    const monitor = this.#monitors.get(line);
    if (monitor?.sinceUs === undefined) throw new BusError(`gpio ${line}`, 'take edges', 'the line is not watched');
    this.#mustRun(line, 'take edges', monitor);
    const { edges } = monitor;
    monitor.edges = [];
    return edges;
  }

  async unwatch(line: number): Promise<void> {
    const monitor = this.#monitors.get(line);
    if (monitor === undefined) return;
    monitor.sinceUs = undefined;
    monitor.edges = [];
    monitor.cancelEnd = this.#options.wire.after(keepMs, () => this.#end(line, monitor));
  }

  async check(line: number): Promise<void> {
    await this.#found(line, 'check');
  }

  async setOutput(line: number, isHigh: boolean): Promise<void> {
    const tools = await this.#found(line, 'set output');
    const before = this.#held.get(line);
    this.#held.delete(line);
    before?.stop();
    // The line is free when it has ended, not before.
    await before?.ended;
    const tool = this.#options.tools.start('gpioset', holdArgs(tools, line, isHigh), () => {});
    this.#held.set(line, tool);
    const refused = await this.#orAfter(refusedWithinMs, tool.ended);
    if (refused === undefined) return;
    if (this.#held.get(line) === tool) this.#held.delete(line);
    throw new BusError(`gpio ${line}`, 'set output', endOf(refused, 'gpioset'));
  }

  /** Ends the tools; lines keep the level they have. */
  async close(): Promise<void> {
    const held = [...this.#held.values()];
    this.#held.clear();
    for (const tool of held) tool.stop();
    const monitors = [...this.#monitors];
    for (const [line, monitor] of monitors) this.#end(line, monitor);
    await Promise.all([...held, ...monitors.map(([, { tool }]) => tool)].map(({ ended }) => ended));
  }

  async #listen(line: number, edge: Edge, bias: Bias): Promise<Monitor> {
    const tools = await this.#found(line, 'watch');
    const listening = Promise.withResolvers<void>();
    const onLine = (text: string): void => {
      if (isBanner(text)) listening.resolve();
      const atUs = edgeUs(text);
      if (atUs === undefined || monitor.sinceUs === undefined || atUs < monitor.sinceUs) return;
      monitor.edges.push(atUs);
      if (monitor.edges.length > mostEdges) monitor.edges.shift();
    };
    const tool = this.#options.tools.start('gpiomon', monitorArgs(tools, line, { edge, bias }), onLine);
    const startMs = tools.major === 1 ? quietStartMs : startWithinMs;
    const monitor: Monitor = {
      edge,
      tool,
      ready: this.#orAfter(startMs, Promise.race([listening.promise, tool.ended.then(() => {})])),
      failure: undefined,
      edges: [],
      sinceUs: undefined,
      cancelEnd: () => {},
    };
    this.#monitors.set(line, monitor);
    void tool.ended.then((output) => {
      monitor.failure = endOf(output, 'gpiomon');
    });
    return monitor;
  }

  /** undefined when the time is over first. */
  async #orAfter<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
    const over = Promise.withResolvers<undefined>();
    const cancel = this.#options.wire.after(ms, () => over.resolve(undefined));
    try {
      return await Promise.race([work, over.promise]);
    } finally {
      cancel();
    }
  }

  /** The next `watch` restarts a monitor that has ended. */
  #mustRun(line: number, operation: string, { failure }: Monitor): void {
    if (failure !== undefined) throw new BusError(`gpio ${line}`, operation, failure);
  }

  #end(line: number, monitor: Monitor): void {
    monitor.cancelEnd();
    monitor.tool.stop();
    if (this.#monitors.get(line) === monitor) this.#monitors.delete(line);
  }

  async #found(line: number, operation: string): Promise<GpioTools> {
    this.#tools ??= findGpioTools(this.#options.tools);
    const finding = this.#tools;
    try {
      return await finding;
    } catch (error) {
      if (this.#tools === finding) this.#tools = undefined;
      const isMissing = error instanceof ToolMissing;
      if (!isMissing && !(error instanceof GpioUnusable)) throw error;
      const reason = isMissing ? `${error.message} (install the package gpiod)` : error.message;
      throw new BusError(`gpio ${line}`, operation, reason, { cause: error });
    }
  }
}
