/** New values that a job cannot take; the message is one sentence for whoever wanted them. */
export class SettingRefused extends Error {
  readonly setting: string;
  constructor(setting: string, message: string) {
    super(message);
    this.name = 'SettingRefused';
    this.setting = setting;
  }
}
