// The live page: asks its server for the state of the run every few seconds, for the report when the
// run has changed, and for an image when a slider moves or there is a newer checkpoint.
const kPollMilliseconds = 2000;
const token = new URLSearchParams(location.search).get("token") ?? "";
const part = (id) => document.getElementById(id);
const sliders = document.querySelector(".sliders").elements;

// Returns the response; throws with the server's words if it refuses.
const ask = async (path) => {
  const response = await fetch(path, { headers: { Authorization: "Bearer " + token }, cache: "no-store" });
  if (!response.ok) throw new Error((await response.json()).error);
  return response;
};
const words = (error) => (error instanceof TypeError ? "ganscale serve does not answer" : error.message);

let classes = [];
const isShown = (slider) => !slider.closest("label").hidden;
const nameOf = ({ label, name }) => (name ? label + " " + name : String(label));
const truncates = () => isShown(sliders.truncation) && Number(sliders.truncation.value) < Number(sliders.truncation.max);

const tellSliders = () => {
  for (const slider of sliders) {
    if (slider.type === "range") slider.nextElementSibling.textContent = String(Number(Number(slider.value).toFixed(2)));
  }
  if (!truncates()) sliders.truncation.nextElementSibling.textContent = "none";
  if (classes.length > 0) sliders.class.nextElementSibling.textContent = nameOf(classes[sliders.class.value]);
};

const imagePath = () => {
  const query = new URLSearchParams({ seed: sliders.seed.value });
  if (Number(sliders.t.value) > 0) { query.set("walk_to", sliders.walk_to.value); query.set("t", sliders.t.value); }
  if (truncates()) query.set("truncation", sliders.truncation.value);
  if (isShown(sliders.class)) query.set("class", classes[sliders.class.value].label);
  return "image?" + query;
};

const problems = { state: "", image: "" };
const tellProblem = (of, text) => {
  problems[of] = text;
  part("problem").textContent = problems.state || problems.image;
};

// What the page shows.
const shown = { version: null, checkpoint: null };

// One request at a time: of the places that a slider passes meanwhile, the last one is drawn next.
let isDrawing = false;
let isOutdated = false;
const draw = async () => {
  tellSliders();
  isOutdated = true;
  if (isDrawing) return;
  isDrawing = true;
  while (isOutdated) {
    isOutdated = false;
    try {
      const image = part("image");
      const old = image.src;
      image.src = URL.createObjectURL(await (await ask(imagePath())).blob());
      await image.decode();
      image.hidden = false;
      image.classList.toggle("pixels", image.naturalWidth < 300);
      URL.revokeObjectURL(old);
      tellProblem("image", "");
    } catch (error) {
      shown.checkpoint = null; // draw it again at the next poll
      tellProblem("image", words(error));
    }
  }
  isDrawing = false;
};
document.querySelector(".sliders").oninput = draw;

const setUpSliders = (state) => {
  classes = state.classes;
  sliders.class.closest("label").hidden = classes.length === 0;
  sliders.class.max = Math.max(0, classes.length - 1);
  const isFirst = !isShown(sliders.truncation);
  sliders.truncation.closest("label").hidden = !state.truncation;
  if (!state.truncation) return;
  sliders.truncation.min = state.truncation.least;
  sliders.truncation.max = state.truncation.most;
  if (isFirst) sliders.truncation.value = state.truncation.most;
};

// What the reader has opened stays open.
const showReport = async () => {
  const report = await (await ask("report")).json();
  const open = [...document.querySelectorAll("details")].map((details) => details.open);
  part("progress").innerHTML = report.progress;
  part("details").innerHTML = report.details;
  document.querySelectorAll("details").forEach((details, i) => { details.open = open[i] ?? details.open; });
  setUpReport();
};

const follow = async () => {
  const state = await (await ask("state")).json();
  part("running").textContent = state.running ? "Training is running; this page follows it." : "Training is not running; this is its last state.";
  tellProblem("state", state.error ?? (state.checkpoint ? "" : "There is no checkpoint yet."));
  if (state.checkpoint && state.checkpoint + state.kimg !== shown.checkpoint) {
    shown.checkpoint = state.checkpoint + state.kimg;
    part("checkpoint").textContent = "by " + state.checkpoint;
    setUpSliders(state);
    draw();
  }
  // Last: images do not depend on a report that can't be read.
  if (state.version !== shown.version) {
    await showReport();
    shown.version = state.version;
  }
};
const poll = async () => {
  try { await follow(); } catch (error) { part("running").textContent = words(error); }
  setTimeout(poll, kPollMilliseconds);
};
poll();
