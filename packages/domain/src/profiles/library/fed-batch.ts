export const fedBatch = `# Fed batch: when the batch culture has used up its medium and growth slows down, concentrated medium is fed every hour.
#
# Adapt:    start_ml: the volume that you filled in. feed_ml: volume of one addition. slow_growth (1/h): feeding begins below it.
# Needs:    a calibrated media pump; concentrated medium. No waste pump: nothing is removed.
# Measures: OD, growth rate, temperature, pumped volumes, volume of the vial.
# Safe:     start_ml + 8 x feed_ml must fit into the vial: here 10 mL + 4 mL. The automation also stops at the limit of the model.
experiment_profile_name: fed batch
version: "1.0"
metadata:
  author: Leader Control Service
  description: Feeds eight times, every hour, once the growth of the batch slows down.
inputs: {temperature_c: 30, stir_rpm: 500, start_ml: 10, feed_ml: 0.5, slow_growth: 0.1}
common:
  jobs:
    stirring:
      actions:
        - {type: start, t: 0s, options: {target_rpm: "\${{ stir_rpm }}"}}
    temperature_automation:
      actions:
        - {type: start, t: 10s, options: {automation_name: thermostat, target_temperature: "\${{ temperature_c }}"}}
    od_reading:
      actions:
        - {type: start, t: 1m}
    growth_rate_calculating:
      actions:
        - {type: start, t: 30m}
    dosing_automation:
      actions:
        - type: when # after the lag phase: the culture has at least doubled
          t: 1h
          wait_until: ::growth_rate_calculating:od_filtered.od_filtered > 2 and ::growth_rate_calculating:growth_rate.growth_rate < slow_growth
          actions:
            - type: start
              t: 0s
              options:
                automation_name: fed_batch
                dosing_volume_ml: "\${{ feed_ml }}"
                duration: 60
                current_volume_ml: "\${{ start_ml }}"
            - {type: log, t: 1s, options: {message: "\${{ unit() }}: feeding begins."}}
            - {type: stop, t: 450m} # half an hour after the eighth addition
`;
