interface Peripheral {
  readonly name: string;
  readUint32(offset: number): number;
  writeUint32(offset: number, value: number): void;
  writeUint32Atomic(offset: number, value: number, kind: number): void;
}

/** The part of the emulator (rp2040js) that is used here: it runs the compiled image, instruction by instruction. */
interface Rp2040 {
  readonly clock: { readonly nanos: number; readonly nanosToNextAlarm: number; tick(nanos: number): void };
  readonly core: { PC: number; SP: number; readonly waiting: boolean; executeInstruction(): number; reset(): void };
  readonly sram: Uint8Array;
  readonly adc: Peripheral & {
    readonly channelValues: number[];
    onADCRead: (channel: number) => void;
    checkInterrupts(): void;
  };
  readonly gpio: readonly { readonly functionSelect: number; readonly padValue: number }[];
  readonly peripherals: Record<number, Peripheral>;
  logger: Record<'debug' | 'info' | 'warn' | 'error', (component: string, message: string) => void>;
  setInterrupt(irq: number, isActive: boolean): void;
}

interface EmulatorModule {
  readonly RP2040: new () => Rp2040;
}

/** Addresses of blocks, without their last bits, as the emulator numbers them. */
const block = { i2c1: 0x40048, pwm: 0x40050, watchdog: 0x40058 } as const;
const memoryStart = 0x20000000;
const i2c1Irq = 24;
const cycleNs = 8;
/** One byte with its acknowledgement at 100 kHz. */
const byteNs = 90_000;
/** The driver of the BCM2835 gives up later; a healthy controller holds the clock for microseconds. */
const longestHoldNs = 20_000_000;

/** Registers that keep what is written to them (data sheet 2.1.2: at other addresses of a block, bits are set and cleared). */
class RegisterFile implements Peripheral {
  readonly name: string;
  readonly #values = new Map<number, number>();

  constructor(name: string) {
    this.name = name;
  }

  readUint32(offset: number): number {
    return this.#values.get(offset) ?? 0;
  }

  writeUint32(offset: number, value: number): void {
    this.#values.set(offset, value >>> 0);
  }

  writeUint32Atomic(offset: number, value: number, kind: number): void {
    const before = this.readUint32(offset);
    const changed = [value, before ^ value, before | value, before & ~value][kind] ?? value;
    this.writeUint32(offset, changed);
  }

  clear(): void {
    this.#values.clear();
  }
}

const register = {
  con: 0x00,
  sar: 0x08,
  dataCmd: 0x10,
  intrStat: 0x2c,
  intrMask: 0x30,
  rawIntrStat: 0x34,
  rxTl: 0x38,
  clrRdReq: 0x50,
  clrTxAbrt: 0x54,
  clrRxDone: 0x58,
  clrStopDet: 0x60,
  enable: 0x6c,
  txflr: 0x74,
  rxflr: 0x78,
  ackGeneralCall: 0x98,
} as const;
const interrupt = { rxFull: 1 << 2, rdReq: 1 << 5, txAbrt: 1 << 6, rxDone: 1 << 7, stopDet: 1 << 9 } as const;
const [masterMode, slaveDisabled, firstByte, fifoDepth] = [1 << 0, 1 << 6, 1 << 11, 16];

/**
 * The I2C block as a slave (data sheet 4.3, "Slave Mode Operation"): the emulator has only its master. A read that finds no byte in the
 * FIFO holds the clock and requests one (RD_REQ); bytes left over from an earlier read are thrown away with TX_ABRT, and none are taken
 * until that is cleared.
 */
class I2cSlave extends RegisterFile {
  readonly rx: number[] = [];
  readonly tx: number[] = [];
  #raw = 0;
  /** A general call, from a reset on. */
  #answersToAll = true;
  readonly #onInterrupt: (isActive: boolean) => void;

  constructor(onInterrupt: (isActive: boolean) => void) {
    super('I2C1');
    this.#onInterrupt = onInterrupt;
  }

  answersTo(address: number): boolean {
    const isSlave = (super.readUint32(register.con) & (masterMode | slaveDisabled)) === 0;
    const isOwn = address === 0 ? this.#answersToAll : super.readUint32(register.sar) === address;
    return isSlave && (super.readUint32(register.enable) & 1) === 1 && isOwn;
  }

  get isFull(): boolean {
    return this.rx.length >= fifoDepth;
  }

  get isAsked(): boolean {
    return (this.#raw & interrupt.rdReq) !== 0;
  }

  receive(byte: number, isFirst: boolean): void {
    this.rx.push(byte | (isFirst ? firstByte : 0));
    this.#settle();
  }

  /** The host asks for a byte, and the FIFO has none of this transfer. */
  request(): void {
    if (this.tx.length > 0) {
      this.tx.length = 0;
      this.#raise(interrupt.txAbrt);
    }
    this.#raise(interrupt.rdReq);
  }

  end(wasRead: boolean): void {
    this.#raise(wasRead ? interrupt.rxDone | interrupt.stopDet : interrupt.stopDet);
  }

  override clear(): void {
    super.clear();
    this.rx.length = 0;
    this.tx.length = 0;
    this.#raw = 0;
    this.#answersToAll = true;
    this.#settle();
  }

  override readUint32(offset: number): number {
    switch (offset) {
      case register.dataCmd: {
        const entry = this.rx.shift() ?? 0;
        this.#settle();
        return entry;
      }
      case register.rawIntrStat:
        return this.#raw;
      case register.intrStat:
        return this.#raw & super.readUint32(register.intrMask);
      case register.rxflr:
        return this.rx.length;
      case register.txflr:
        return this.tx.length;
      case register.clrRdReq:
        return this.#lower(interrupt.rdReq);
      case register.clrTxAbrt:
        return this.#lower(interrupt.txAbrt);
      case register.clrRxDone:
        return this.#lower(interrupt.rxDone);
      case register.clrStopDet:
        return this.#lower(interrupt.stopDet);
      default:
        return super.readUint32(offset);
    }
  }

  override writeUint32(offset: number, value: number): void {
    if (offset === register.dataCmd) {
      const isTaken = (this.#raw & interrupt.txAbrt) === 0 && this.tx.length < fifoDepth;
      if (isTaken) this.tx.push(value & 0xff);
      return;
    }
    super.writeUint32(offset, value);
    if (offset === register.ackGeneralCall) this.#answersToAll = (value & 1) === 1;
    this.#settle();
  }

  #raise(bits: number): void {
    this.#raw |= bits;
    this.#settle();
  }

  #lower(bits: number): number {
    const was = (this.#raw & bits) === 0 ? 0 : 1;
    this.#raw &= ~bits;
    this.#settle();
    return was;
  }

  #settle(): void {
    const isOver = this.rx.length > super.readUint32(register.rxTl);
    this.#raw = isOver ? this.#raw | interrupt.rxFull : this.#raw & ~interrupt.rxFull;
    this.#onInterrupt((this.#raw & super.readUint32(register.intrMask)) !== 0);
  }
}

/** A transfer that failed, as the kernel reports it. */
const kernelError = (code: string): Error => Object.assign(new Error(code), { code });

/** The board's controller with its compiled firmware in memory, as `openocd` leaves it. Time is that of its clock. */
export class EmulatedController {
  /** Longest time that a transfer had to wait for the firmware. */
  longestHoldUs = 0;
  restarts = 0;
  readonly #chip: Rp2040;
  readonly #i2c: I2cSlave;
  readonly #pwm = new RegisterFile('PWM');
  readonly #convert: (channel: number) => void;
  #unfinished: number | undefined;

  private constructor(chip: Rp2040, image: Uint8Array) {
    this.#chip = chip;
    chip.logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
    this.#i2c = new I2cSlave((isActive) => chip.setInterrupt(i2c1Irq, isActive));
    chip.peripherals[block.i2c1] = this.#i2c;
    chip.peripherals[block.pwm] = this.#pwm;
    // The emulator leaves the interrupt of the converter's FIFO set when the FIFO was read.
    const { adc } = chip;
    this.#convert = adc.onADCRead;
    const readAdc = adc.readUint32.bind(adc);
    adc.readUint32 = (offset) => {
      const value = readAdc(offset);
      if (offset === 0x0c) adc.checkInterrupts();
      return value;
    };
    Object.assign(this.#watchdog, { onWatchdogTrigger: () => this.#restart() });
    chip.sram.set(image);
    // A debugger starts it at its first byte, with any stack.
    chip.core.SP = memoryStart + 0x1000;
    chip.core.PC = memoryStart;
  }

  static async load(image: Uint8Array): Promise<EmulatedController> {
    // Its own types name only a part of what is used here.
    const { RP2040 }: EmulatorModule = await import(import.meta.resolve('rp2040js'));
    return new EmulatedController(new RP2040(), image);
  }

  run(forMs: number): void {
    this.#runUntil(() => false, forMs * 1e6);
  }

  /** 12-bit values at the inputs. */
  setInput(input: number, sample: number): void {
    this.#chip.adc.channelValues[input] = sample;
  }

  /** The converter never ends its conversions. */
  stopConverter(): void {
    this.#chip.adc.onADCRead = (channel) => {
      this.#unfinished = channel;
    };
  }

  resumeConverter(): void {
    this.#chip.adc.onADCRead = this.#convert;
    if (this.#unfinished !== undefined) this.#convert(this.#unfinished);
  }

  /** 0 to 255, of 257 steps; undefined where no PWM reaches the pin. */
  ledDuty(led: number): number | undefined {
    const slice = Math.floor(led / 2) * 0x14;
    const isDriven = this.#pwm.readUint32(slice) === 1 && this.#chip.gpio[16 + led]?.functionSelect === 4;
    const levels = this.#pwm.readUint32(slice + 0x0c);
    return isDriven ? (led % 2 === 0 ? levels & 0xffff : levels >>> 16) : undefined;
  }

  get pwmFacts(): { readonly divider: number; readonly top: number } {
    return { divider: this.#pwm.readUint32(4) / 16, top: this.#pwm.readUint32(0x10) };
  }

  write(address: number, bytes: readonly number[]): void {
    this.#address(address);
    this.#send(bytes);
    this.#i2c.end(false);
    this.#pass();
  }

  /** As the kernel reads a register: its number, a repeated start, the bytes. */
  read(address: number, pointer: number, length: number): number[] {
    this.#address(address);
    this.#send([pointer]);
    this.#address(address);
    const bytes: number[] = [];
    while (bytes.length < length) {
      // The address begins a new transfer: what is left of the one before is thrown away.
      if (bytes.length === 0 || this.#i2c.tx.length === 0) {
        this.#i2c.request();
        this.#hold(() => !this.#i2c.isAsked && this.#i2c.tx.length > 0);
      }
      bytes.push(this.#i2c.tx.shift() ?? 0xff);
      this.#pass();
    }
    this.#i2c.end(true);
    return bytes;
  }

  #address(address: number): void {
    if (!this.#i2c.answersTo(address)) throw kernelError('EREMOTEIO');
    this.#pass();
  }

  #send(bytes: readonly number[]): void {
    for (const [index, byte] of bytes.entries()) {
      this.#hold(() => !this.#i2c.isFull);
      this.#i2c.receive(byte, index === 0);
      this.#pass();
    }
  }

  #pass(): void {
    this.#runUntil(() => false, byteNs);
  }

  #hold(isOver: () => boolean): void {
    const fromNs = this.#chip.clock.nanos;
    if (!this.#runUntil(isOver, longestHoldNs)) throw kernelError('ETIMEDOUT');
    this.longestHoldUs = Math.max(this.longestHoldUs, (this.#chip.clock.nanos - fromNs) / 1000);
  }

  /** Whether it was reached in time. */
  #runUntil(isReached: () => boolean, forNs: number): boolean {
    const { clock, core } = this.#chip;
    const endNs = clock.nanos + forNs;
    while (clock.nanos < endNs) {
      if (isReached()) return true;
      if (!core.waiting) clock.tick(core.executeInstruction() * cycleNs);
      else clock.tick(Math.max(cycleNs, Math.min(clock.nanosToNextAlarm, endNs - clock.nanos)));
    }
    return isReached();
  }

  get #watchdog(): Peripheral {
    const found = this.#chip.peripherals[block.watchdog];
    if (found === undefined) throw new Error('The emulator has no watchdog.');
    return found;
  }

  /** What the chip and its boot ROM do after the watchdog (data sheet 2.8.1.1): every block is as after power-on, the memory stays. */
  #restart(): void {
    const scratch = (number: number): number => this.#watchdog.readUint32(0x0c + 4 * number);
    const [magic, check, stack, entry] = [4, 5, 6, 7].map(scratch);
    this.restarts += 1;
    this.#pwm.clear();
    this.#i2c.clear();
    this.#watchdog.writeUint32(0, 0);
    const isVector = magic === 0xb007c0d3 && ((check ?? 0) ^ (entry ?? 0)) >>> 0 === 0x4ff83f2d;
    if (!isVector || stack === undefined || entry === undefined) throw new Error('The boot ROM finds no program.');
    this.#chip.core.reset();
    this.#chip.core.SP = stack;
    this.#chip.core.PC = entry & ~1;
  }
}
