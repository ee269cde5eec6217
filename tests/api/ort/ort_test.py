"""The execution provider inside of ONNX Runtime: what it takes, what it computes, what it says."""

import unittest
from pathlib import Path

import onnx
from onnx import TensorProto, helper, numpy_helper, version_converter
from ort_case import DIGITS, PROVIDER, OrtCase, np
from tool_case import MODELS

DIGITS_MODEL = DIGITS / "digits.onnx"
CALIBRATION = {"calibrate": str(DIGITS / "calibration"), "preprocess": str(DIGITS / "preprocess.yaml")}
IMAGE = {"image": np.linspace(-1, 1, 32 * 32, dtype=np.float32).reshape(1, 1, 32, 32)}
CASES = Path("/usr/share/libonnx-testdata/data")
CPU = "CPUExecutionProvider"


def tensor(file):
    proto = TensorProto()
    proto.ParseFromString(file.read_bytes())
    return numpy_helper.to_array(proto)


class WholeGraphTest(OrtCase):
    def module_output(self, model, inputs, *arguments):
        """What the module of the same compilation gives."""
        import vta  # of the build

        path = self.folder / "direct.vta.so"
        self.succeed("vta-compile", model, "-o", path, *arguments)
        session = vta.Module(str(path)).session()
        session.run(inputs)
        return session.outputs()

    def test_a_calibrated_network_runs_on_the_vta_with_the_bits_of_its_module(self):
        answer = self.run_job(DIGITS_MODEL, IMAGE, options=CALIBRATION)
        self.assertEqual(list(answer["nodes"]), [PROVIDER])
        self.assertEqual(len(answer["nodes"][PROVIDER]), 1)
        options = [part for key, value in CALIBRATION.items() for part in (f"--{key}", value)]
        self.assert_same(answer["outputs"], self.module_output(DIGITS_MODEL, IMAGE, *options))

    def test_a_float_network_without_calibration_stays_in_float_and_says_so(self):
        found, expected = self.run_jobs(self.job(DIGITS_MODEL, IMAGE), self.job(DIGITS_MODEL, IMAGE, provider=False))
        self.assertEqual(list(found["nodes"]), [PROVIDER])
        self.assert_same(found["outputs"], expected["outputs"], 1e-4)
        self.assertIn("computed by the CPU in float", self.log)
        self.assertIn("option 'calibrate'", self.log)

    def test_devices_agree_and_runs_may_come_from_several_threads(self):
        cycle = {**CALIBRATION, "device": "cycle", "hw": "small-1x8x8", "threads": "1"}
        functional = {**cycle, "device": "functional"}
        found, expected = self.run_jobs(self.job(DIGITS_MODEL, IMAGE, options=cycle, runs=3),
                                        self.job(DIGITS_MODEL, IMAGE, options=functional))
        self.assert_same(found["outputs"], expected["outputs"])

    @unittest.skipUnless(MODELS.is_dir(), "../shared/models is not here")
    def test_a_quantised_mobilenet_needs_no_calibration(self):
        model = MODELS / "imagenet/mobilenet_v2_1.0_224_qat_qdq.onnx"
        reference = MODELS.parent / "ref/imagenet" / model.stem
        inputs = {onnx.load(str(model)).graph.input[0].name: np.load(reference / "input_0.npy")}
        answer = self.run_job(model, inputs)
        self.assertEqual([len(groups) for groups in answer["nodes"].values()], [1])
        self.assertIn(PROVIDER, answer["nodes"])
        output, = answer["outputs"].values()
        expected = np.load(reference / "output_0.npy")
        self.assertEqual(output.shape, expected.shape)
        self.assertEqual(output.argmax(), expected.argmax())
        self.assertLess(np.abs(output - expected).max(), 0.1 * np.abs(expected).max())


class PartitionTest(OrtCase):
    def labelled(self, name="labels.onnx"):
        """Two layers with an operator between them that the compiler does not have."""
        nodes = [helper.make_node("Relu", ["x"], ["a"], name="first"),
                 helper.make_node("Cast", ["a"], ["b"], to=TensorProto.INT64, name="whole"),
                 helper.make_node("LabelEncoder", ["b"], ["c"], domain="ai.onnx.ml", name="labels", keys_int64s=[0, 1, 2],
                                  values_floats=[5.0, 7.0, 9.0], default_float=-1.0),
                 helper.make_node("Add", ["c", "a"], ["y"], name="last")]
        path = self.model(nodes, [("x", [2, 3])], [("y", [2, 3])], name=name, domains=["ai.onnx.ml"])
        proto = onnx.load(str(path))
        proto.opset_import[1].version = 2
        onnx.save(proto, str(path))
        return path

    def test_what_the_compiler_lacks_stays_with_the_cpu(self):
        x = {"x": np.array([[-1, 0.5, 1], [2, 3, -4]], np.float32)}
        model = self.labelled()
        found, expected = self.run_jobs(self.job(model, x), self.job(model, x, provider=False))
        self.assertEqual(found["nodes"][CPU], [["LabelEncoder"]])
        self.assertEqual(sorted(map(sorted, found["nodes"][PROVIDER])), [["Add"], ["Cast", "Relu"]])
        self.assert_same(found["outputs"], expected["outputs"])
        self.assertIn("1 of 4 nodes are left to other providers", self.log)
        self.assertIn("node 'labels' (LabelEncoder): the operator is not supported", self.log)
        self.assertIn("vta-compile --list-refused", self.log)

    def test_leaving_nodes_can_be_an_error(self):
        error = self.error_of(self.labelled(), config={"session.disable_cpu_ep_fallback": "1"})
        self.assertIn("fallback", error)

    def test_extents_without_a_value_are_named_with_their_remedy(self):
        node = helper.make_node("Relu", ["x"], ["y"], name="only")
        model = self.model([node], [("x", ["rows", 3])], [("y", ["rows", 3])])
        x = {"x": np.array([[-1, 2, 3], [4, -5, 6]], np.float32)}
        answer = self.run_job(model, x)
        self.assertEqual(list(answer["nodes"]), [CPU])
        self.assertIn("input 'x' has extents without a value (rows)", self.log)
        self.assertIn('AddFreeDimensionOverrideByName(options, "rows", 1)', self.log)
        answer = self.run_job(model, x, dimensions={"rows": 2})
        self.assertEqual(list(answer["nodes"]), [PROVIDER])
        self.assert_same(answer["outputs"], {"y": np.maximum(x["x"], 0)})

    def test_branches_are_taken_as_a_whole(self):
        value = helper.make_tensor_value_info("z", TensorProto.FLOAT, [4])
        then = helper.make_graph([helper.make_node("Neg", ["x"], ["z"])], "then", [], [value])
        other = helper.make_graph([helper.make_node("Abs", ["x"], ["z"])], "else", [], [value])
        nodes = [helper.make_node("ReduceSum", ["x"], ["s"], keepdims=0),
                 helper.make_node("Greater", ["s", "zero"], ["p"]),
                 helper.make_node("If", ["p"], ["y"], then_branch=then, else_branch=other)]
        model = self.model(nodes, [("x", [4])], [("y", [4])], [("zero", np.float32(0))])
        for sign in (1, -1):
            x = sign * np.array([1, -2, 3, 4], np.float32)
            answer = self.run_job(model, {"x": x})
            self.assertEqual(list(answer["nodes"]), [PROVIDER])
            self.assert_same(answer["outputs"], {"y": -x if sign > 0 else np.abs(x)})

    def test_sizes_that_depend_on_data_come_out(self):
        model = self.model([helper.make_node("NonZero", ["x"], ["y"])], [("x", [2, 3])], [("y", [2, "n"])])
        proto = onnx.load(str(model))
        proto.graph.output[0].type.tensor_type.elem_type = TensorProto.INT64
        onnx.save(proto, str(model))
        x = np.array([[0, 1, 0], [2, 0, 3]], np.float32)
        answer = self.run_job(model, {"x": x})
        self.assertEqual(list(answer["nodes"]), [PROVIDER])
        self.assert_same(answer["outputs"], {"y": np.array(np.nonzero(x))})

    @unittest.skipUnless(MODELS.is_dir(), "../shared/models is not here")
    def test_a_detector_falls_back_to_the_cpu_behind_its_network(self):
        # The first version with NonMaxSuppression is 10.
        proto = version_converter.convert_version(onnx.load(str(MODELS / "vision-other/ultraface-rfb-320.onnx")), 11)
        graph = proto.graph
        scores, boxes = (output.name for output in graph.output)
        constants = {"most": np.array([20], np.int64), "overlap": np.array([0.5], np.float32),
                     "score": np.array([0.05], np.float32), "column": np.array([2], np.int64)}
        graph.initializer.extend(numpy_helper.from_array(value, name) for name, value in constants.items())
        graph.node.extend([
            helper.make_node("Transpose", [scores], ["by_class"], perm=[0, 2, 1]),
            helper.make_node("NonMaxSuppression", [boxes, "by_class", "most", "overlap", "score"], ["selected"]),
            helper.make_node("Gather", ["selected", "column"], ["places"], axis=1),
            helper.make_node("LabelEncoder", ["places"], ["named"], domain="ai.onnx.ml", keys_int64s=[0, 1],
                             values_floats=[1.0, 2.0], default_float=3.0)])
        graph.output.append(helper.make_tensor_value_info("selected", TensorProto.INT64, ["found", 3]))
        graph.output.append(helper.make_tensor_value_info("named", TensorProto.FLOAT, ["found", 1]))
        proto.opset_import.append(helper.make_opsetid("ai.onnx.ml", 2))
        model = self.folder / "detector.onnx"
        onnx.save(proto, str(model))
        image = {graph.input[0].name: np.random.RandomState(1).uniform(-1, 1, (1, 3, 240, 320)).astype(np.float32)}
        found, expected = self.run_jobs(self.job(model, image), self.job(model, image, provider=False))
        self.assertNotIn("error", found)
        self.assertEqual(found["nodes"][CPU], [["LabelEncoder"]])
        self.assertEqual(len(found["nodes"][PROVIDER]), 1)
        self.assertGreater(len(expected["outputs"]["selected"]), 0)
        self.assert_same(found["outputs"], expected["outputs"], 1e-3)


class MessageTest(OrtCase):
    def refused(self, *says, **job):
        error = self.error_of(DIGITS_MODEL, **job)
        for text in says:
            self.assertIn(text, error)

    def test_options_are_checked(self):
        self.refused("no option 'devise'; did you mean device?", options={"devise": "cycle"})
        self.refused("option threads is 'many'", options={"threads": "many"})
        self.refused("nothing.yaml", options={**CALIBRATION, "hw": "nothing.yaml"})
        self.refused("--partition", "cpu-quantized", options={"partition": "somewhere"})
        self.refused("no-such-folder", options={"calibrate": "no-such-folder"})
        self.refused("unknown device 'rtll'", "functional, cycle", options={**CALIBRATION, "device": "rtll"})

    def test_a_missing_compiler_is_named(self):
        """ONNX Runtime goes on without a provider that cannot look at a model, unless that is forbidden."""
        answer = self.run_job(DIGITS_MODEL, environment={"VTA_COMPILE": "/no/vta-compile"})
        self.assertEqual(list(answer["nodes"]), [CPU])
        self.assertIn("VtaExecutionProvider: ", self.log)
        self.assertIn("/no/vta-compile", self.log)
        self.refused("fallback", config={"session.disable_cpu_ep_fallback": "1"},
                     environment={"VTA_COMPILE": "/no/vta-compile"})


class ContextTest(OrtCase):
    def written(self, embeds, options=CALIBRATION):
        """The model with compiled graphs that a session has written."""
        path = self.folder / f"context{embeds}.onnx"
        config = {"ep.context_enable": "1", "ep.context_embed_mode": embeds, "ep.context_file_path": str(path)}
        self.run_job(DIGITS_MODEL, options=options, config=config)
        return path

    def test_compiled_models_run_without_the_compiler(self):
        expected = self.run_job(DIGITS_MODEL, IMAGE, options=CALIBRATION)["outputs"]
        for embeds in ("0", "1"):
            model = self.written(embeds)
            nodes = [node.op_type for node in onnx.load(str(model)).graph.node]
            self.assertEqual(nodes, ["EPContext"])
            self.assertEqual(len(list(self.folder.glob(f"context{embeds}_*.vta.so"))), 1 - int(embeds))
            answer = self.run_job(model, IMAGE, environment={"VTA_COMPILE": "/bin/false"})
            self.assert_same(answer["outputs"], expected)

    def test_files_beside_the_model_have_to_be_there(self):
        model = self.written("0")
        module, = self.folder.glob("context0_*.vta.so")
        module.unlink()
        error = self.error_of(model)
        self.assertIn(f"'{module}', which is not there", error)
        self.assertIn("compile the original model again", error)
        proto = onnx.load(str(model))
        for attribute in proto.graph.node[0].attribute:
            if attribute.name == "ep_cache_context":
                attribute.s = b"../elsewhere.vta.so"
        onnx.save(proto, str(model))
        self.assertIn("no file beside the model", self.error_of(model))

    def test_another_version_is_refused(self):
        model = self.written("1")
        proto = onnx.load(str(model))
        for attribute in proto.graph.node[0].attribute:
            if attribute.name == "ep_sdk_version":
                attribute.s = b"0.0.9"
        onnx.save(proto, str(model))
        error = self.error_of(model)
        self.assertIn("compiled by version 0.0.9 of the VTA SDK", error)
        self.assertIn("compile the original model again", error)


class OperatorCasesTest(OrtCase):
    """ONNX's own cases, every so many of them."""

    STEP = 12

    @unittest.skipUnless(CASES.is_dir(), "libonnx-testdata is not installed")
    def test_cases_of_onnx(self):
        folders = sorted(path.parent for path in (CASES / "node").glob("*/model.onnx"))[:: self.STEP]
        jobs, expected = [], []
        for folder in folders:
            graph = onnx.load(str(folder / "model.onnx")).graph
            ports = [*graph.input, *graph.output]
            kinds = {port.type.tensor_type.elem_type for port in ports if port.type.HasField("tensor_type")}
            if len(kinds & {TensorProto.STRING, TensorProto.BFLOAT16}) or not all(p.type.HasField("tensor_type") for p in ports):
                continue
            data = folder / "test_data_set_0"
            inputs = {port.name: tensor(data / f"input_{i}.pb") for i, port in enumerate(graph.input)
                      if (data / f"input_{i}.pb").exists()}
            jobs += [self.job(folder / "model.onnx", inputs, provider=with_provider) for with_provider in (True, False)]
            expected.append({port.name: tensor(data / f"output_{i}.pb") for i, port in enumerate(graph.output)})
        answers = self.run_jobs(*jobs)
        taken = 0
        taken_folders = [Path(job["model"]).parent for job in jobs[::2]]
        for folder, found, plain, wanted in zip(taken_folders, answers[::2], answers[1::2], expected):
            with self.subTest(folder.name):
                if "error" in plain:
                    continue  # this ONNX Runtime does not run it
                self.assertNotIn("error", found)
                taken += PROVIDER in found["nodes"]
                try:
                    self.assert_same(plain["outputs"], wanted, 1e-3)
                except AssertionError:
                    continue  # nor does it give what ONNX wants
                self.assert_same(found["outputs"], wanted, 1e-3)
        self.assertGreater(taken, len(folders) // 2)


if __name__ == "__main__":
    unittest.main()
