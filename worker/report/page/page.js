"use strict";
// The player: the strip below it holds every grid once; the big image shows one of them.
const setUpPlayer = () => {
  const frames = [...document.querySelectorAll(".strip figure")];
  const slider = document.querySelector(".player input");
  if (!slider) return;
  const big = document.querySelector(".images .fakes img");
  const label = document.querySelector(".images .fakes output");
  const show = (index) => {
    big.src = frames[index].querySelector("img").src;
    label.textContent = "after " + frames[index].dataset.at;
    frames.forEach((frame, i) => frame.classList.toggle("shown", i === index));
    slider.value = index;
  };
  let timer = null;
  const button = document.querySelector(".player button");
  const stop = () => { clearInterval(timer); timer = null; button.textContent = "Play"; };
  const next = () => (Number(slider.value) + 1 < frames.length ? show(Number(slider.value) + 1) : stop());
  button.onclick = () => {
    if (timer) return stop();
    if (Number(slider.value) + 1 === frames.length) show(0);
    button.textContent = "Stop";
    timer = setInterval(next, 500);
  };
  slider.oninput = () => { stop(); show(Number(slider.value)); };
  frames.forEach((frame, i) => { frame.onclick = () => { stop(); show(i); }; });
  show(frames.length - 1);
};

// The charts: where the pointer is, the legend shows that tick's numbers instead of the last ones.
// Three digits, or all before the point, as in the rest of the report: 12345, not 12300.
const short = (number) => {
  if (number === null) return "–";
  return String(Math.abs(number) < 100 ? Number(number.toPrecision(3)) : Math.round(number));
};
const setUpCharts = () => {
  for (const chart of document.querySelectorAll(".chart")) {
    const data = JSON.parse(chart.querySelector("script").textContent);
    const plot = chart.querySelector(".plot");
    const line = chart.querySelector(".at");
    const numbers = chart.querySelectorAll(".legend b");
    const where = chart.querySelector(".where");
    const tell = (index) => {
      data.y.forEach((values, i) => { numbers[i].textContent = short(values[index]); });
      where.textContent = "at " + short(data.x[index]) + " " + data.unit;
    };
    plot.onpointermove = (event) => {
      const box = plot.getBoundingClientRect();
      const x = data.from + ((event.clientX - box.left) / box.width) * (data.to - data.from);
      const distance = data.x.map((value) => Math.abs(value - x));
      const index = distance.indexOf(Math.min(...distance));
      line.style.display = "block";
      line.style.left = (100 * (data.x[index] - data.from)) / (data.to - data.from) + "%";
      tell(index);
    };
    plot.onpointerleave = () => { line.style.display = "none"; tell(data.x.length - 1); };
    tell(data.x.length - 1);
  }
};

// Brings the report in this document to life, once it is there.
const setUpReport = () => { setUpPlayer(); setUpCharts(); };
